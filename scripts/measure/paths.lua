-- Requests the paths in a file again and again. The file has one path in each line. Arguments: the file; the average
-- pause of a connection before its next request, in milliseconds; the name of a header; the value of the header.
-- Without this value, the value of the header follows the path in its line.

local requests, next_request = {}, 0

function init(arguments)
  local headers, pause = {}, tonumber(arguments[2])
  -- Pauses from 0 to twice the average, so that connections do not all send at the same time.
  if pause > 0 then delay = function() return math.random(0, 2 * pause) end end
  -- Prepares all requests, because work of wrk during the test takes time from the server.
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
