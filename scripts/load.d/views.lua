-- Asks for clusters, tiles or transitions of views all over the data, each thread its own: a walk that zooms and pans as
-- people do, by a seeded generator. Arguments: kind, index, west, south, east, north, seed.
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local kind, index, west, south, east, north
local requests, next_request = {}, 0

local function mercator(latitude)
  return 0.5 - math.log(math.tan(math.pi / 4 + math.rad(latitude) / 2)) / (2 * math.pi)
end

local function headers() return { ["Content-Type"] = "application/json" } end

local function view(zoom)
  -- A laptop's screen somewhere in the box.
  local longitude = west + math.random() * (east - west)
  local latitude = south + math.random() * (north - south)
  local width = 1024 * 360 / (256 * 2 ^ zoom)
  local height = 768 * 360 / (256 * 2 ^ zoom) * math.cos(math.rad(latitude))
  return string.format("bbox=%.5f,%.5f,%.5f,%.5f&zoom=%.2f", longitude - width / 2,
    math.max(latitude - height / 2, -85), longitude + width / 2, math.min(latitude + height / 2, 85), zoom)
end

local function path()
  -- From about all of the data in view to a town of it.
  local whole = math.log(1024 * 360 / (256 * (east - west))) / math.log(2)
  local zoom = whole + math.random() * 5
  if kind == "clusters" then return "/v1/" .. index .. "/clusters?limit=100&" .. view(zoom) end
  if kind == "ellipses" then return "/v1/" .. index .. "/clusters?limit=100&ellipses=true&" .. view(zoom) end
  if kind == "spacing" then return "/v1/" .. index .. "/clusters?spacing=44&" .. view(zoom) end
  if kind == "transitions" then
    local there = view(zoom)
    return "/v1/" .. index .. "/transition?limit=100&" .. there .. "&from-" .. there:gsub("&zoom", "&from-zoom")
  end
  local z = math.floor(zoom)
  local x = math.floor((west + math.random() * (east - west) + 180) / 360 * 2 ^ z)
  local y0, y1 = mercator(north), mercator(south)
  return string.format("/v1/%s/tiles/%d/%d/%d.mvt", index, z, x, math.floor((y0 + math.random() * (y1 - y0)) * 2 ^ z))
end

function init(arguments)
  kind, index = arguments[1], arguments[2]
  west, south, east, north = tonumber(arguments[3]), tonumber(arguments[4]), tonumber(arguments[5]), tonumber(arguments[6])
  math.randomseed(tonumber(arguments[7]) + number)
  -- Made beforehand, for what wrk does costs the server time.
  for i = 1, 4096 do requests[i] = wrk.format("GET", path(), nil, nil) end
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency, requests)
  io.write(string.format(
    'RESULT {"requests": %d, "seconds": %.3f, "bytes": %d, "p50_ms": %.3f, "p99_ms": %.3f, "max_ms": %.3f, "errors": %d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency.max / 1e3,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
