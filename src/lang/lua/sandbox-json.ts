/** Lua: what a script returns, as JSON text. Reads tables raw, so that no metamethod of a script's runs here. */
// compat engine H-29: an empty table is a list; names and numbers do not mix, and a list has no holes
export const json = String.raw`
local escapes = { ['"'] = '\\"', ['\\'] = '\\\\' }
local function escape(c) return escapes[c] or format('\\u%04x', byte(c)) end
local function quote(text) return '"' .. gsub(text, '[%c"\\]', escape) .. '"' end

local function numeral(n)
  if n ~= n or n == huge or n == -huge then error('it returns a number that JSON does not have: ' .. numberText(n), 0) end
  if n == floor(n) and n > -2 ^ 63 and n < 2 ^ 63 then return n == 0 and '0' or format('%.0f', n) end
  return format('%.17g', n)
end

-- True for a list, false for an object. An empty table is a list.
local function isList(value)
  local names, numbers, most = 0, 0, 0
  for key in next, value do
    if type(key) == 'string' then
      names = names + 1
    elseif type(key) == 'number' then
      numbers = numbers + 1
      if key > most then most = key end
    else
      error('it returns a table with a key that is a ' .. type(key), 0)
    end
  end
  if names > 0 and numbers > 0 then error('it returns a table with both names and numbers for keys', 0) end
  if numbers ~= most then error('it returns a list with holes in it', 0) end
  return names == 0
end

local deepest = 200
local function encoder(most)
  local parts, n, size = {}, 0, 0
  local function write(text)
    n, size = n + 1, size + #text
    if size > most then stop('output') end
    parts[n] = text
  end
  local encode
  local function encodeList(list, depth)
    write('[')
    for i = 1, rawlen(list) do
      if i > 1 then write(',') end
      encode(rawget(list, i), depth)
    end
    write(']')
  end
  local function encodeObject(object, depth)
    local separator = '{'
    for key, value in next, object do
      write(separator .. quote(key) .. ':')
      encode(value, depth)
      separator = ','
    end
    write('}')
  end
  function encode(value, depth)
    local kind = type(value)
    if kind == 'string' then
      write(quote(value))
    elseif kind == 'number' then
      write(numeral(value))
    elseif kind == 'boolean' or kind == 'nil' then
      write(kind == 'nil' and 'null' or value and 'true' or 'false')
    elseif kind ~= 'table' then
      error('it returns a ' .. kind .. ', which is no data', 0)
    elseif depth > deepest then
      error('it returns tables nested more than ' .. deepest .. ' deep, or one that holds itself', 0)
    elseif isList(value) then
      encodeList(value, depth + 1)
    else
      encodeObject(value, depth + 1)
    end
  end
  return encode, function() return concat(parts) end
end
`;
