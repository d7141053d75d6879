/**
 * Lua: the limits of a script, and how it is stopped. The hook counts instructions; costly C functions are
 * charged explicitly.
 */
export const limits = `
local look = 1000 -- instructions between two readings of the clock
local wrap = 4294.967296 -- the runtime's clock is a 32-bit count of microseconds
local reason, spent, due, budget, begun, isFine

-- Only the reason says whether a run was stopped: scripts may raise errors that look like this one.
local function halt() error('stopped: ' .. reason, 0) end

local function stop(why)
  reason = reason or why
  halt()
end

local function inspect()
  due = spent + look
  if spent > budget.steps then stop('steps') end
  if (clock() - begun) % wrap > budget.seconds then stop('time') end
  local kb = collectgarbage('count')
  if kb > budget.kb then
    collectgarbage()
    if collectgarbage('count') > budget.kb then stop('memory') end
  end
  return kb
end

local function spend(n)
  if reason then halt() end
  spent = spent + n
  if spent >= due then inspect() end
end

local hook
-- once a script holds much, a single instruction may copy all of it: look more often
local function refine(kb)
  if isFine or kb < 8192 then return end
  isFine, look = true, 50
  sethook(hook, '', look)
end

function hook()
  if reason then halt() end
  spent = spent + look
  refine(inspect())
end

local function begin(allowed)
  reason, spent, due, budget, begun, isFine, look = nil, 0, 1000, allowed, clock(), false, 1000
  sethook(hook, '', look)
end

local function finish()
  sethook()
  return reason
end

-- What a protected call caught. A stop goes on through it, and so does running out of memory.
local function settle(ok, ...)
  if reason then halt() end
  if not ok and (...) == 'not enough memory' then stop('memory') end
  return ok, ...
end

local function guardedPcall(f, ...) return settle(pcall(f, ...)) end

local function handled(handler, ok, ...)
  if ok then return true, ... end
  local called, message = guardedPcall(handler, ...)
  if called then return false, message end
  return false, 'error in error handling'
end

-- The handler runs after the stack is unwound: inside the failing call no hook would fire, and it could loop for ever.
local function guardedXpcall(f, handler, ...)
  return handled(handler, guardedPcall(f, ...))
end

local function guardedCreate(f)
  local co = create(f)
  sethook(co, hook, '', look)
  return co
end

local function guardedResume(co, ...) return settle(resume(co, ...)) end

local function passed(ok, ...)
  if ok then return ... end
  error((...), 0)
end

local function guardedWrap(f)
  local co = guardedCreate(f)
  return function(...) return passed(guardedResume(co, ...)) end
end

-- A function whose cost is the length of the text it makes.
local function paid(f)
  local function pay(text)
    if #text > 4096 then spend(#text / 64) end
    return text
  end
  return function(...) return pay(f(...)) end
end
`;
