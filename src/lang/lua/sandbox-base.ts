/** Lua: the basic functions of every script, in the peer's dialect: Lua 5.1 as gopher-lua implements it. */
// compat engine H-28: getn, unpack and loadstring are there, whole numbers print without a point
// dev engine H-28: pairs goes through numbers, then names, in order, so that the same object gives the same message everywhere
export const base = `
-- The fewest digits that read back as the number, laid out as Go's %g does: with an exponent from a million on.
local function shortest(n)
  for digits = 14, 16 do
    local text = format('%.' .. digits .. 'e', n)
    if tonumber(text) == n then
      local sign, first, rest, exponent = match(text, '^(-?)(%d)%.?(%d-)0*e([+-]%d+)$')
      local e = tonumber(exponent)
      if e < -4 or e >= 6 then
        return sign .. first .. (rest ~= '' and '.' .. rest or '') .. format('e%s%02d', e < 0 and '-' or '+', e < 0 and -e or e)
      end
      if e < 0 then return sign .. '0.' .. rep('0', -e - 1) .. first .. rest end
      if #rest > e then return sign .. first .. sub(rest, 1, e) .. '.' .. sub(rest, e + 1) end
      return sign .. first .. rest .. rep('0', e - #rest)
    end
  end
end

-- A whole number prints without a point, however large.
local function numberText(n)
  if n ~= n then return 'NaN' end
  if n == huge then return '+Inf' end
  if n == -huge then return '-Inf' end
  if n == 0 then return '0' end
  if n == floor(n) and n >= -2 ^ 63 and n < 2 ^ 63 then return format('%.0f', n) end
  return shortest(n)
end

local function textOf(value, name, n)
  if type(value) == 'string' then return value end
  if type(value) == 'number' then return numberText(value) end
  error("bad argument #" .. n .. " to '" .. name .. "' (string expected, got " .. type(value) .. ")", 3)
end

local function safeTostring(...)
  if select('#', ...) > 0 and type((...)) == 'number' then return numberText((...)) end
  return tostring(...)
end

-- Tables never have finalizers: those run where no hook fires. A field of that name is only a field, as in 5.1.
local function safeSetmetatable(object, meta)
  local finalizer = type(meta) == 'table' and rawget(meta, '__gc')
  if not finalizer then return setmetatable(object, meta) end
  rawset(meta, '__gc', nil)
  setmetatable(object, meta)
  rawset(meta, '__gc', finalizer)
  return object
end

-- The metatable of strings is no script's business.
local function safeGetmetatable(value)
  if type(value) == 'table' then return getmetatable(value) end
end

-- The keys of a table: numbers in order, then names in order, then whatever else there is.
local function orderedKeys(object)
  local keys, names, others, n, m = {}, {}, {}, 0, 0
  for key in next, object do
    local kind = type(key)
    if kind == 'string' then
      m = m + 1
      names[m] = key
    elseif kind == 'number' then
      n = n + 1
      keys[n] = key
    else
      others[#others + 1] = key
    end
  end
  spend(4 * (n + m))
  sort(keys)
  sort(names)
  for i = 1, m do keys[n + i] = names[i] end
  for i = 1, #others do keys[n + m + i] = others[i] end
  return keys, n + m + #others
end

local function orderedPairs(object)
  if type(object) ~= 'table' then
    error("bad argument #1 to 'pairs' (table expected, got " .. type(object) .. ")", 2)
  end
  local keys, n = orderedKeys(object)
  local i = 0
  return function()
    while i < n do
      i = i + 1
      local value = rawget(object, keys[i])
      if value ~= nil then return keys[i], value end
    end
  end, object, nil
end

local function checkTable(object, name)
  if type(object) ~= 'table' then
    error("bad argument #1 to '" .. name .. "' (table expected, got " .. type(object) .. ")", 3)
  end
end

local function safeInsert(...)
  local object, place, value = ...
  if select('#', ...) < 3 or type(place) ~= 'number' then return insert(...) end
  checkTable(object, 'insert')
  local length = rawlen(object)
  -- a place outside the list is only a key, as in 5.1
  if place < 1 or place > length + 1 then rawset(object, place, value) return end
  spend((length - place) / 8)
  return insert(...)
end

local function safeRemove(object, place)
  checkTable(object, 'remove')
  local length = rawlen(object)
  if length == 0 then return nil end
  if place == nil then return remove(object) end
  if place < 1 or place > length then return nil end
  spend((length - place) / 8)
  return remove(object, place)
end

local function length(object)
  checkTable(object, 'getn')
  return rawlen(object)
end

local function maxn(object)
  checkTable(object, 'maxn')
  local most = 0
  for key in next, object do
    if type(key) == 'number' and key > most then most = key end
  end
  return most
end

local function less(a, b) return a < b end
local function safeSort(object, comparator)
  checkTable(object, 'sort')
  return sort(object, comparator or less)
end

local function safeConcat(object, separator, from, to)
  checkTable(object, 'concat')
  local text = concat(object, separator or '', from or 1, to or rawlen(object))
  if #text > 4096 then spend(#text / 64) end
  return text
end

local function safeRep(text, n, ...)
  text, n = textOf(text, 'rep', 1), tonumber(n) or 0
  if #text * n > budget.kb * 512 then stop('memory') end
  return rep(text, n)
end

local function joined(read)
  local parts = {}
  repeat
    local part = read()
    parts[#parts + 1] = part
  until part == nil or part == ''
  return concat(parts)
end

local mostSource = 2 ^ 20
-- Text only: compiled code could do anything. It sees the same world as the script that loads it.
local function loader(world)
  return function(source, name)
    if type(source) == 'function' then source = joined(source) end
    source = textOf(source, 'load', 1)
    if #source > mostSource then stop('memory') end
    spend(#source / 8)
    return load(source, type(name) == 'string' and name or '=script', 't', world)
  end
end

local function requirer(loaded)
  return function(name)
    local found = loaded[name]
    if found == nil then error("module " .. safeTostring(name) .. " not found: scripts load no files", 2) end
    return found
  end
end

-- Numbers of its own for each run: drawing from a common well would let one script see another.
local function randomizer(seed)
  local state = seed % 2147483647
  local function draw()
    state = (state * 16807 + 11) % 2147483647
    return state / 2147483647
  end
  local function random(low, high)
    if low == nil then return draw() end
    if high == nil then low, high = 1, low end
    if low > high then error("bad argument to 'random' (interval is empty)", 2) end
    return low + floor(draw() * (high - low + 1))
  end
  return random, function(to) state = floor(tonumber(to) or 0) % 2147483647 end
end
`;
