// Shows the OpenAPI document of the server as a page: the routes with their parameters and answers, and the problems
// that the server may return.

/** Returns an element with attributes and children. Text between backquotes becomes code. */
function element(name, attributes, ...children) {
  const node = Object.assign(document.createElement(name), attributes);
  for (const child of children.flat()) {
    if (typeof child !== "string") node.append(child);
    else child.split("`").forEach((part, index) => node.append(index % 2 ? element("code", {}, document.createTextNode(part)) : part));
  }
  return node;
}

/**
 * Returns the object to which a reference such as `#/components/parameters/zoom` leads. Returns an object without a
 * reference unchanged.
 */
function resolved(object, api) {
  if (!object.$ref) return object;
  return object.$ref.split("/").slice(1).reduce((found, name) => found[name.replaceAll("~1", "/")], api);
}

const typeOf = (schema = {}) => [
  [schema.type ?? (schema.oneOf ? "one of several" : "")].flat().join(" or "),
  schema.enum ? schema.enum.map(value => `\`${value}\``).join(", ") : "",
  schema.default === undefined ? "" : `default \`${schema.default}\``,
].filter(Boolean).join("; ");

const idOf = (path, method) => `${method}-${path}`.replaceAll(/[^a-z]+/gi, "-");

function parameter(parameter, api) {
  const { name, in: place, required, description = "", schema, example } = resolved(parameter, api);
  const facts = [place === "query" ? "" : `in the ${place}`, typeOf(schema), example === undefined ? "" : `such as \`${example}\``];
  return [
    element("dt", {}, element("code", {}, document.createTextNode(name)), " ",
      required ? element("span", { className: "required" }, "required") : ""),
    element("dd", {}, description, " ", element("small", {}, facts.filter(Boolean).join("; "))),
  ];
}

function route(path, method, operation, shared, api) {
  const parameters = [...shared, ...(operation.parameters ?? [])];
  const answers = Object.entries(operation.responses ?? {});
  return element("section", { id: idOf(path, method) },
    element("h3", {}, element("span", { className: "method" }, method.toUpperCase()), " ", element("code", {}, document.createTextNode(path))),
    element("p", {}, operation.summary ?? ""),
    ...(operation.description ?? "").split("\n\n").filter(Boolean).map(text => element("p", {}, text)),
    parameters.length ? element("dl", {}, parameters.flatMap(each => parameter(each, api))) : "",
    element("p", {}, "Answers: ", answers.flatMap(([status, answer]) => [
      element("code", {}, status), ` ${resolved(answer, api).description ?? ""} `]).flat()));
}

function page(api) {
  const operations = Object.entries(api.paths).flatMap(([path, item]) => ["get", "post"].filter(method => item[method])
    .map(method => ({ path, method, operation: item[method], shared: item.parameters ?? [] })));
  const problems = api.components.schemas.Problem.properties.type.oneOf.filter(({ const: type }) => type.includes("#"));
  return [
    element("h1", {}, api.info.title),
    ...(api.info.description ?? "").split("\n\n").map(text => element("p", {}, text)),
    element("p", {}, "As OpenAPI: ", element("a", { href: "openapi.json" }, "openapi.json"), "."),
    element("nav", { ariaLabel: "Routes" }, element("ul", {}, operations.map(({ path, method }) => element("li", {},
      element("a", { href: `#${idOf(path, method)}` }, `${method.toUpperCase()} ${path}`))))),
    element("h2", {}, "Routes"),
    ...operations.map(({ path, method, operation, shared }) => route(path, method, operation, shared, api)),
    element("h2", {}, "Problems"),
    element("p", {}, "An error is returned as a problem (RFC 9457). If the HTTP status explains the error, the `type` of the problem is `about:blank`. Otherwise the `type` is one of these:"),
    ...problems.map(({ const: type, description }) => element("section", { id: type.split("#")[1] },
      element("h3", {}, element("code", {}, type)), element("p", {}, description))),
  ];
}

const main = document.getElementById("document");
try {
  const response = await fetch("openapi.json");
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  main.replaceChildren(...page(await response.json()));
} catch (error) {
  main.replaceChildren(element("p", { role: "alert" }, `Cannot read openapi.json: ${error.message}. If the server requires a token, requests for openapi.json must send the token.`));
}
main.removeAttribute("aria-busy");
document.getElementById(location.hash.slice(1))?.scrollIntoView();
