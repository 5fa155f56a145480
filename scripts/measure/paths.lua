-- Asks for the paths in a file, one a line, over and over. Arguments: the file, for how many milliseconds a connection
-- waits on average before it asks again, and a header with its value; a value behind a path is the header's with that
-- path.

local requests, next_request = {}, 0

function init(arguments)
  local headers, pause = {}, tonumber(arguments[2])
  -- Anything from none to twice as long, so that connections do not ask in step.
  if pause > 0 then delay = function() return math.random(0, 2 * pause) end end
  -- Made beforehand, for what wrk does costs the server time.
  for line in io.lines(arguments[1]) do
    local path, value = line:match("^(%S+) ?(.*)$")
    if arguments[3] then headers[arguments[3]] = arguments[4] or value end
    requests[#requests + 1] = wrk.format("GET", path, headers)
  end
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
