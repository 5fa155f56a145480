/// The look of the report, light and dark, on a laptop and on a phone.
let stylesheet = """
  :root {
    color-scheme: light dark;
    --page: #ffffff; --ink: #17212b; --soft: #5a6875; --line: #dfe5ea; --card: #f6f8fa;
    --sea: #c9dce8; --land: #fffdf7; --point: #26343f; --ring: #ffffff;
    --m0: #c2410c; --m1: #2246c4; --m2: #0f766e; --m3: #86198f;
    --m4: #b0174f; --m5: #4a7310; --m6: #0369a1; --m7: #8a4b0f;
    --t0: #b03a0a; --t1: #2246c4; --t2: #0f766e; --t3: #86198f;
    --t4: #b0174f; --t5: #4a7310; --t6: #0369a1; --t7: #8a4b0f;
    --kept: #7b8a97; --split: #1d5fd1; --merged: #c77700; --torn: #d6204e; --entered: #15803d; --left: #7b8a97;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --page: #0d1116; --ink: #e8eef3; --soft: #9badbc; --line: #2a3641; --card: #182028;
      --sea: #15283a; --land: #303b44; --point: #d3e0ea; --ring: #f3f6f9;
      --m0: #c2410c; --m1: #3459dd; --m2: #0f766e; --m3: #a21caf;
      --m4: #be1d58; --m5: #4a7310; --m6: #0369a1; --m7: #8a4b0f;
      --t0: #ff9a5c; --t1: #9db4ff; --t2: #5eead4; --t3: #f0abfc;
      --t4: #fda4c4; --t5: #bef264; --t6: #7dd3fc; --t7: #fcd34d;
      --kept: #8494a2; --split: #6ea8ff; --merged: #ffb545; --torn: #ff6b8b; --entered: #4ade80; --left: #93a3b1;
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
  .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(265px, 1fr)); gap: 10px; margin: 16px 0 22px;
    padding: 0; list-style: none }
  .tiles li { background: var(--card); border-radius: 12px; padding: 12px 14px 12px; display: flex; flex-direction: column }
  .tiles h3 { margin: 0 0 7px; font-size: 14px; font-weight: 600 }
  .tiles dl { margin: 0; display: grid; grid-template-columns: fit-content(11em) 1fr; gap: 3px 8px; align-items: center;
    font-size: 13px }
  .tiles dl div { display: contents }
  .tiles dt { font-weight: 550; line-height: 1.25 }
  .tiles dd { margin: 0; display: flex; align-items: center; gap: 6px; padding-right: 56px; font-variant-numeric: tabular-nums }
  .tiles dd i { flex: none; height: 11px; min-width: 2px; border-radius: 3px; background: currentColor; opacity: .45 }
  .tiles dd span { color: var(--soft); white-space: nowrap }
  .tiles .best dt, .tiles .best dd span { font-weight: 700 } .tiles .best dd span { color: var(--ink) }
  .tiles .best dd i { opacity: 1 }
  .tiles p { font-size: 12.5px; color: var(--soft); margin-top: auto; padding-top: 7px }
  section { margin-top: 40px }
  section:first-of-type { margin-top: 0 }
  .heading { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 14px; margin-bottom: 10px }
  .facts { color: var(--soft); font-size: 14.5px }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 540px), 1fr)); gap: 18px; align-items: end }
  .pair > .table { align-self: start; margin-top: 22px }
  .pair > figure:nth-child(even):nth-last-child(2) ~ .table { grid-column: 1 / -1; margin-top: 0 }
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
  .m4 .extent, .m4 .badges circle { fill: var(--m4) } .m4 .extent { stroke: var(--t4) }
  .m5 .extent, .m5 .badges circle { fill: var(--m5) } .m5 .extent { stroke: var(--t5) }
  .m6 .extent, .m6 .badges circle { fill: var(--m6) } .m6 .extent { stroke: var(--t6) }
  .m7 .extent, .m7 .badges circle { fill: var(--m7) } .m7 .extent { stroke: var(--t7) }
  .t0 { color: var(--t0) } .t1 { color: var(--t1) } .t2 { color: var(--t2) } .t3 { color: var(--t3) }
  .t4 { color: var(--t4) } .t5 { color: var(--t5) } .t6 { color: var(--t6) } .t7 { color: var(--t7) }
  .table { overflow-x: auto; min-width: 0 }
  table { border-collapse: collapse; width: 100%; font-size: 14px }
  th, td { padding: 6px 7px; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline }
  thead th { border-top: 0; padding-bottom: 4px; font-size: 13px; white-space: nowrap }
  tbody th { font-weight: 500; padding-left: 0; min-width: 8.5em; position: sticky; left: 0; background: var(--page) }
  tbody th.inset { padding-left: 1.1em; color: var(--soft) }
  td.value, th.value { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
  td.best { font-weight: 700 }
  .mark { font-size: 10px; margin-right: 4px; vertical-align: .1em }
  .way { color: var(--soft); font-size: 13px; white-space: nowrap }
  .legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 12px; padding: 0; list-style: none; font-size: 13.5px;
    color: var(--soft) }
  .legend li { display: flex; align-items: center; gap: 7px }
  .legend i { width: 12px; height: 12px; border-radius: 50%; background: var(--c) }
  .legend .entered i, .legend .left i { background: none; border: 2.5px solid var(--c) }
  .legend .left i { border-style: dotted }
  .kept { --c: var(--kept) } .split { --c: var(--split) } .merged { --c: var(--merged) } .torn { --c: var(--torn) }
  .entered { --c: var(--entered) } .left { --c: var(--left) }
  .strip { overflow-x: auto; padding-bottom: 6px; margin-bottom: 18px }
  .steps, .frames { display: grid; grid-template-columns: repeat(var(--steps), minmax(148px, 1fr)); gap: 8px; margin: 0; padding: 0;
    list-style: none; min-width: calc(156px * var(--steps) - 8px) }
  .steps { font-size: 12.5px; font-weight: 600; color: var(--soft) }
  .strip h3 { font-size: 14.5px; margin: 12px 0 5px; position: sticky; left: 0; width: max-content; max-width: 100% }
  .strip h3 span { font-weight: 400; color: var(--soft); margin-left: 5px }
  .frames figcaption { font-size: 11.5px; line-height: 1.3; margin: 4px 0 0; font-variant-numeric: tabular-nums }
  .frames svg { border-radius: 6px; aspect-ratio: var(--ratio) }
  .frames .points { stroke-width: 60; opacity: .35 }
  .frames path.split, .frames path.merged, .frames path.torn { fill: none; stroke: var(--c); stroke-width: 65;
    stroke-linecap: round; opacity: .8 }
  .frames g circle { fill: var(--c); stroke: var(--land); stroke-width: 3 }
  .frames g.kept circle { opacity: .6 }
  .frames g.entered circle { fill: var(--land); stroke: var(--c); stroke-width: 8 }
  .frames g.left circle { fill: none; stroke: var(--c); stroke-width: 6; stroke-dasharray: 8 8 }
  .glossary dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 8px 28px; margin: 10px 0 0 }
  .glossary h3 { font-size: 15px; margin: 18px 0 0 }
  .glossary dt { font-weight: 600; font-size: 14px } .glossary dd { margin: 0; font-size: 13.5px; color: var(--soft) }
  footer { margin-top: 44px; padding-top: 16px; border-top: 1px solid var(--line); color: var(--soft); font-size: 13.5px }
  footer p { margin-bottom: 6px; max-width: 76em }
  @media (max-width: 700px) {
    main { padding: 18px 14px 40px; display: flex; flex-direction: column }
    section, footer { order: 2 } .tiles { order: 1; margin: 24px 0 0 }
    section:first-of-type { order: 0; margin-top: 20px }
    .lede { font-size: 16.5px }
    .tiles { grid-template-columns: 1fr }
    svg { border-radius: 8px }
    .way { display: none }
    th, td { padding: 7px 6px }
  }
  @media print { section { break-inside: avoid } }

  """
