/**
 * Lua: patterns that cannot hang. The runtime's own matcher backtracks in C, where nothing can stop it; it is used when
 * the worst it could do is small. Otherwise this one does the same work in Lua, where the hook counts every step.
 */
export const patterns = `
local PERCENT, OPEN, CLOSE, DOLLAR, BRACKET, CARET = 37, 40, 41, 36, 91, 94
local STAR, PLUS, MINUS, QUESTION, LETTER_B, LETTER_F = 42, 43, 45, 63, 98, 102
local mostSteps = 1e7 -- of the runtime's matcher in one call; about fifty milliseconds

-- How bad a pattern can be: unbounded repetitions raise the power, optional ones double it.
local function weigh(pattern)
  local _, repeats = gsub(pattern, '[*+%-]', '')
  local _, balanced = gsub(pattern, '%%[b%d]', '')
  local _, optional = gsub(pattern, '%?', '')
  return repeats + balanced, 2 ^ optional
end

local function isHeavy(text, pattern)
  local power, factor = weigh(pattern)
  if byte(pattern) ~= CARET then power = power + 1 end
  local worst = (#text + 1) ^ power * factor
  if worst > 1e5 and worst <= mostSteps then spend(look) end
  return worst > mostSteps
end

-- Which bytes a class accepts, queried from the runtime one byte at a time and cached.
local function byteSet(class)
  if #class == 1 and class ~= '.' and find(class, '%W') then class = '%' .. class end
  local pattern = '^' .. class
  return setmetatable({}, {
    __index = function(set, b)
      local isIn = find(char(b), pattern) ~= nil
      rawset(set, b, isIn)
      return isIn
    end,
  })
end

-- Returns a function from a place in the text to the end of a match there, and one that yields its captures.
local function matcher(text, pattern)
  local textEnd, patternEnd = #text, #pattern
  local starts, lengths, level = {}, {}, 0
  local sets, match = {}, nil
  local unclosed, position = -1, -2

  local function fail(message) error(message, 0) end

  local function classEnd(p)
    local c = byte(pattern, p)
    p = p + 1
    if c == PERCENT then
      if p > patternEnd then fail("malformed pattern (ends with '%')") end
      return p + 1
    end
    if c ~= BRACKET then return p end
    if byte(pattern, p) == CARET then p = p + 1 end
    repeat
      if p > patternEnd then fail("malformed pattern (missing ']')") end
      local inner = byte(pattern, p)
      p = p + 1
      if inner == PERCENT and p <= patternEnd then p = p + 1 end
    until byte(pattern, p) == 93
    return p + 1
  end

  local function isIn(s, p, ep)
    local set = sets[p]
    if not set then
      set = byteSet(sub(pattern, p, ep - 1))
      sets[p] = set
    end
    return set[byte(text, s)]
  end

  local function accepts(s, p, ep) return s <= textEnd and isIn(s, p, ep) end

  local function longest(s, p, ep)
    local n = 0
    while accepts(s + n, p, ep) do n = n + 1 end
    while n >= 0 do
      local e = match(s + n, ep + 1)
      if e then return e end
      n = n - 1
    end
  end

  local function shortest(s, p, ep)
    while true do
      local e = match(s, ep + 1)
      if e then return e end
      if not accepts(s, p, ep) then return nil end
      s = s + 1
    end
  end

  local function open(s, p, what)
    level = level + 1
    if level > 32 then fail('too many captures') end
    starts[level], lengths[level] = s, what
    local e = match(s, p)
    if not e then level = level - 1 end
    return e
  end

  local function close(s, p)
    local l = level
    while l > 0 and lengths[l] ~= unclosed do l = l - 1 end
    if l == 0 then fail('invalid pattern capture') end
    lengths[l] = s - starts[l]
    local e = match(s, p)
    if not e then lengths[l] = unclosed end
    return e
  end

  local function balanced(s, p)
    if p + 1 > patternEnd then fail("malformed pattern (missing arguments to '%b')") end
    local first, last = byte(pattern, p, p + 1)
    if s > textEnd or byte(text, s) ~= first then return nil end
    local depth = 1
    for i = s + 1, textEnd do
      local c = byte(text, i)
      if c == last then
        depth = depth - 1
        if depth == 0 then return i + 1 end
      elseif c == first then
        depth = depth + 1
      end
    end
  end

  local function again(s, digit)
    local l = digit - 48
    if l < 1 or l > level or lengths[l] == unclosed then fail('invalid capture index %' .. l) end
    local n = lengths[l]
    if n == position then return nil end
    spend(n / 16)
    if textEnd - s + 1 >= n and sub(text, starts[l], starts[l] + n - 1) == sub(text, s, s + n - 1) then return s + n end
  end

  local function frontier(s, p)
    if byte(pattern, p) ~= BRACKET then fail("missing '[' after '%f' in pattern") end
    local ep = classEnd(p)
    local set = sets[p] or byteSet(sub(pattern, p, ep - 1))
    sets[p] = set
    local before, after = s > 1 and byte(text, s - 1) or 0, s <= textEnd and byte(text, s) or 0
    if set[before] or not set[after] then return nil end
    return ep
  end

  function match(s, p)
    while p <= patternEnd do
      local c = byte(pattern, p)
      local escaped = c == PERCENT and byte(pattern, p + 1) or nil
      if c == OPEN then
        if byte(pattern, p + 1) == CLOSE then return open(s, p + 2, position) end
        return open(s, p + 1, unclosed)
      elseif c == CLOSE then
        return close(s, p + 1)
      elseif c == DOLLAR and p == patternEnd then
        return s == textEnd + 1 and s or nil
      elseif escaped == LETTER_B then
        s, p = balanced(s, p + 2), p + 4
        if not s then return nil end
      elseif escaped == LETTER_F then
        p = frontier(s, p + 2)
        if not p then return nil end
      elseif escaped and escaped >= 48 and escaped <= 57 then
        s, p = again(s, escaped), p + 2
        if not s then return nil end
      else
        local ep = classEnd(p)
        local suffix = byte(pattern, ep)
        if suffix == STAR then return longest(s, p, ep) end
        if suffix == MINUS then return shortest(s, p, ep) end
        local isMatch = accepts(s, p, ep)
        if suffix == PLUS then return isMatch and longest(s + 1, p, ep) or nil end
        if suffix == QUESTION then
          local e = isMatch and match(s + 1, ep + 1)
          if e then return e end
          p = ep + 1
        elseif isMatch then
          s, p = s + 1, ep
        else
          return nil
        end
      end
    end
    return s
  end

  local function capture(l)
    if lengths[l] == position then return starts[l] end
    if lengths[l] == unclosed then fail('unfinished capture') end
    return sub(text, starts[l], starts[l] + lengths[l] - 1)
  end

  local function captures(s, e)
    if level == 0 and s then return sub(text, s, e - 1) end
    local list = {}
    for l = 1, level do list[l] = capture(l) end
    return unpack(list, 1, level)
  end

  local function matchAt(s)
    level = 0
    return match(s, byte(pattern) == CARET and 2 or 1)
  end
  return matchAt, captures
end

local function startOf(init, text)
  local s = init == nil and 1 or floor(tonumber(init) or 1)
  if s < 0 then s = #text + s + 1 end
  return s < 1 and 1 or s
end

-- The first match at or after a place: its start, its end, and the captures.
local function search(text, pattern, s)
  local matchAt, captures = matcher(text, pattern)
  repeat
    local e = matchAt(s)
    if e then return s, e, captures end
    s = s + 1
  until s > #text + 1 or byte(pattern) == CARET
end

local function plainFind(text, part, s)
  if #text * #part <= 1e7 then return find(text, part, s, true) end
  for i = s, #text - #part + 1 do
    spend(#part / 64)
    if sub(text, i, i + #part - 1) == part then return i, i + #part - 1 end
  end
  return nil
end

local function safeFind(text, pattern, init, plain)
  text, pattern = textOf(text, 'find', 1), textOf(pattern, 'find', 2)
  local from = startOf(init, text)
  if from > #text + 1 then return nil end
  if plain or not find(pattern, '[%^%$%*%+%?%.%(%[%%%-]') then return plainFind(text, pattern, from) end
  if not isHeavy(text, pattern) then return find(text, pattern, from) end
  local s, e, captures = search(text, pattern, from)
  if s then return s, e - 1, captures() end
  return nil
end

local function safeMatch(text, pattern, init)
  text, pattern = textOf(text, 'match', 1), textOf(pattern, 'match', 2)
  local from = startOf(init, text)
  if from > #text + 1 then return nil end
  if not isHeavy(text, pattern) then return match(text, pattern, from) end
  local s, e, captures = search(text, pattern, from)
  if s then return captures(s, e) end
  return nil
end

local function safeGmatch(text, pattern)
  text, pattern = textOf(text, 'gmatch', 1), textOf(pattern, 'gmatch', 2)
  if not isHeavy(text, pattern) then return gmatch(text, pattern) end
  local from = 1
  local anchored = byte(pattern) == CARET and '%' .. pattern or pattern -- in gmatch a caret is a letter
  return function()
    if from > #text + 1 then return nil end
    local s, e, captures = search(text, anchored, from)
    if not s then
      from = #text + 2
      return nil
    end
    from = e > s and e or e + 1
    return captures(s, e)
  end
end

local function replacementOf(with, s, e, text, captures)
  local whole = sub(text, s, e - 1)
  if type(with) == 'string' then
    return (gsub(with, '%%(.?)', function(c)
      if c == '0' then return whole end
      if find(c, '%d') then
        local found = select(tonumber(c), captures(s, e))
        if found == nil then error('invalid capture index %' .. c, 0) end
        return found
      end
      return c
    end))
  end
  local found
  if type(with) == 'table' then found = with[(captures(s, e))] else found = with(captures(s, e)) end
  if not found then return whole end
  if type(found) ~= 'string' and type(found) ~= 'number' then
    error('invalid replacement value (a ' .. type(found) .. ')', 0)
  end
  return found
end

local function slowGsub(text, pattern, with, most)
  local parts, s, n = {}, 1, 0
  local matchAt, captures = matcher(text, pattern)
  while n < most do
    local e = matchAt(s)
    if e then
      n = n + 1
      parts[#parts + 1] = replacementOf(with, s, e, text, captures)
    end
    if e and e > s then
      s = e
    elseif s <= #text then
      parts[#parts + 1] = sub(text, s, s)
      s = s + 1
    else
      break
    end
    if byte(pattern) == CARET then break end
  end
  parts[#parts + 1] = sub(text, s)
  return concat(parts), n
end

local function safeGsub(text, pattern, with, most)
  text, pattern = textOf(text, 'gsub', 1), textOf(pattern, 'gsub', 2)
  if type(with) == 'number' then with = numberText(with) end
  if not isHeavy(text, pattern) then return gsub(text, pattern, with, most) end
  return slowGsub(text, pattern, with, tonumber(most) or #text + 1)
end
`;
