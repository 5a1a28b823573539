-- Sends the requests of a file, one "METHOD path" a line, over and over. All are put together before the start, so
-- that making them costs wrk nothing while it measures, and the same on both sides of a comparison.
--
--   wrk -s requests.lua URL -- FILE

local requests = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path = line:match("^(%S+) (%S+)$")
    requests[#requests + 1] = wrk.format(method, path)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"answers":%d,"micros":%d,"bytes":%d,"failures":%d,"refused":%d,"p50":%.3f,"p99":%.3f}\n',
    summary.requests,
    summary.duration,
    summary.bytes,
    errors.connect + errors.read + errors.write + errors.timeout,
    errors.status,
    latency:percentile(50) / 1000,
    latency:percentile(99) / 1000
  ))
end
