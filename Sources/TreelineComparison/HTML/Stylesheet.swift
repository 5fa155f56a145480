/// The look of the report, light and dark, on a laptop and on a phone.
let stylesheet = """
  :root {
    color-scheme: light dark;
    --page: #ffffff; --ink: #17212b; --soft: #5a6875; --line: #dfe5ea; --card: #f6f8fa;
    --sea: #c9dce8; --land: #fffdf7; --point: #26343f; --ring: #ffffff;
    --m0: #c2410c; --m1: #2246c4; --m2: #0f766e; --m3: #86198f;
    --t0: #b03a0a; --t1: #2246c4; --t2: #0f766e; --t3: #86198f;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --page: #0d1116; --ink: #e8eef3; --soft: #9badbc; --line: #2a3641; --card: #182028;
      --sea: #15283a; --land: #303b44; --point: #d3e0ea; --ring: #f3f6f9;
      --m0: #c2410c; --m1: #3459dd; --m2: #0f766e; --m3: #a21caf;
      --t0: #ff9a5c; --t1: #9db4ff; --t2: #5eead4; --t3: #f0abfc;
    }
  }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--page); color: var(--ink);
    font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
  main { max-width: 1500px; margin: 0 auto; padding: 20px 24px 56px }
  h1 { font-size: clamp(27px, 3.1vw, 42px); line-height: 1.12; letter-spacing: -.02em; margin: 4px 0 10px }
  h2 { font-size: 21px; line-height: 1.25; margin: 0; letter-spacing: -.01em }
  p { margin: 0 }
  .brand { font-weight: 650; font-size: 14px; color: var(--soft) }
  .lede { font-size: 17.5px; max-width: 84em; color: var(--soft); text-wrap: pretty }
  .lede b { color: var(--ink) }
  .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 10px; margin: 16px 0 22px;
    padding: 0; list-style: none }
  .tiles li { background: var(--card); border-radius: 12px; padding: 11px 14px 12px }
  .tiles h3 { margin: 0 0 5px; font-size: 14px; font-weight: 550 }
  .tiles dl { display: flex; gap: 18px; margin: 0 }
  .tiles dt { font-size: 12.5px; font-weight: 600; line-height: 1.3 }
  .tiles dd { margin: 0; font-size: 23px; font-weight: 650; letter-spacing: -.02em; line-height: 1.2;
    font-variant-numeric: tabular-nums }
  .tiles .other dd { font-weight: 400; color: var(--soft) }
  .tiles p { font-size: 12.5px; color: var(--soft); margin-top: 3px }
  section { margin-top: 40px }
  section:first-of-type { margin-top: 0 }
  .heading { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 14px; margin-bottom: 10px }
  .facts { color: var(--soft); font-size: 14.5px }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 430px), 1fr)); gap: 18px; align-items: end }
  figure { margin: 0; min-width: 0 }
  figcaption { font-size: 14.5px; color: var(--soft); margin-bottom: 7px }
  figcaption b { font-size: 16px; margin-right: 6px }
  svg { display: block; width: 100%; height: auto; background: var(--sea); border-radius: 12px; overflow: hidden }
  svg.plain { background: var(--card) }
  .land { fill: var(--land); stroke: var(--land); stroke-width: 6; stroke-linejoin: round; fill-rule: evenodd }
  .points { fill: none; stroke: var(--point); stroke-linecap: round; opacity: .5 }
  .extent { stroke-width: 1.3; fill-opacity: .07; stroke-opacity: .42 }
  .badges circle { stroke: var(--ring); stroke-width: 2 }
  .badges text { fill: #fff; font: 650 14px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif;
    text-anchor: middle; letter-spacing: -.02em; pointer-events: none }
  .badges .long { font-size: 13px }
  .m0 .extent, .m0 .badges circle { fill: var(--m0) } .m0 .extent { stroke: var(--t0) }
  .m1 .extent, .m1 .badges circle { fill: var(--m1) } .m1 .extent { stroke: var(--t1) }
  .m2 .extent, .m2 .badges circle { fill: var(--m2) } .m2 .extent { stroke: var(--t2) }
  .m3 .extent, .m3 .badges circle { fill: var(--m3) } .m3 .extent { stroke: var(--t3) }
  .t0 { color: var(--t0) } .t1 { color: var(--t1) } .t2 { color: var(--t2) } .t3 { color: var(--t3) }
  table { border-collapse: collapse; width: 100%; max-width: 1100px; margin-top: 14px; font-size: 15px }
  th, td { padding: 7px 10px; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline }
  thead th { border-top: 0; padding-bottom: 4px; font-size: 13.5px }
  tbody th { font-weight: 500; padding-left: 0 }
  tbody th small { display: block; color: var(--soft); font-size: 13px; font-weight: 400; line-height: 1.4 }
  td.value, th.value { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
  td.value { width: 8.5em }
  td.best { font-weight: 700 }
  .mark { font-size: 11.5px; font-weight: 650; border: 1px solid currentColor; border-radius: 99px; padding: 0 6px 1px;
    margin-right: 7px; opacity: .9 }
  .way { width: 8em; color: var(--soft); font-size: 13.5px; white-space: nowrap }
  footer { margin-top: 44px; padding-top: 16px; border-top: 1px solid var(--line); color: var(--soft); font-size: 13.5px }
  footer p { margin-bottom: 6px; max-width: 76em }
  @media (max-width: 700px) {
    main { padding: 18px 14px 40px; display: flex; flex-direction: column }
    section, footer { order: 2 } .tiles { order: 1; margin: 24px 0 0 }
    section:first-of-type { order: 0; margin-top: 20px }
    .lede { font-size: 16.5px }
    .tiles { grid-template-columns: 1fr 1fr; gap: 8px }
    .tiles li { padding: 10px 11px }
    .tiles dl { gap: 12px } .tiles dd { font-size: 19px }
    svg { border-radius: 8px }
    .way { display: none }
    th, td { padding: 7px 4px }
    td.value { width: auto }
    .mark { display: block; margin: 0 0 2px auto; width: max-content }
  }
  @media print { section { break-inside: avoid } }

  """
