/**
 * Lua: string.format as the peer's runtime has it, which passes the text and its values to Go's fmt.Sprintf.
 */
// compat engine H-28: %d takes any number and drops its fraction, %x of a negative has a sign, %q quotes as Go does, and a verb
// that does not fit its value is no error: the text says so
export const formatting = String.raw`
local goFormat
do
  local mostWidth, mostDigits = 1e6, 99

  -- How many characters a text has; a byte that only continues one is none of its own.
  local function characters(text)
    local _, n = gsub(text, '[^\128-\191]', '')
    return n
  end

  local function padded(text, spec, fill)
    local missing = (spec.width or 0) - characters(text)
    if missing <= 0 then return text end
    if missing > 4096 then spend(missing / 64) end
    if spec.minus then return text .. rep(' ', missing) end
    return rep(fill or ' ', missing) .. text
  end

  -- The first n characters of a text.
  local function shortened(text, n)
    if not n then return text end
    local at, seen = 1, 0
    while at <= #text do
      local code = byte(text, at)
      if code < 128 or code > 191 then seen = seen + 1 end
      if seen > n then return sub(text, 1, at - 1) end
      at = at + 1
    end
    return text
  end

  local function encoded(code)
    if code < 0 or code > 0x10FFFF or (code >= 0xD800 and code <= 0xDFFF) then code = 0xFFFD end
    if code < 0x80 then return char(code) end
    local tail = ''
    local most = 0x40
    repeat
      tail = char(0x80 + code % 64) .. tail
      code = floor(code / 64)
      most = most / 2
    until code < most
    return char(256 - 2 * most + code) .. tail
  end

  local names = {
    ['\a'] = '\\a', ['\b'] = '\\b', ['\f'] = '\\f', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t', ['\v'] = '\\v',
    ['"'] = '\\"', ['\\'] = '\\\\',
  }
  local function escaped(c)
    local code = byte(c)
    if names[c] then return names[c] end
    return (code < 32 or code > 126) and format('\\x%02x', code) or c
  end

  -- How many bytes the character at a place has; nil where none begins.
  local function sizeAt(text, at)
    local lead = byte(text, at)
    local size = lead >= 0xC2 and (lead < 0xE0 and 2 or lead < 0xF0 and 3 or lead < 0xF5 and 4) or nil
    if size and #match(text, '^[\128-\191]*', at + 1) >= size - 1 then return size end
  end

  local function codeAt(text, at, size)
    local code = byte(text, at) % (size == 2 and 32 or size == 3 and 16 or 8)
    for i = 1, size - 1 do code = code * 64 + byte(text, at + i) % 64 end
    return code
  end

  local function quoted(text, spec)
    if spec.sharp and not find(text, '[%c\96]') then return '\96' .. text .. '\96' end
    local parts, at = {}, 1
    while at <= #text do
      local size = sizeAt(text, at)
      if size and spec.plus then
        local code = codeAt(text, at, size)
        parts[#parts + 1] = format(code > 0xFFFF and '\\U%08x' or '\\u%04x', code)
      else
        parts[#parts + 1] = size and sub(text, at, at + size - 1) or escaped(sub(text, at, at))
      end
      at = at + (size or 1)
    end
    return '"' .. concat(parts) .. '"'
  end

  local function hexOf(text, spec, verb)
    text = spec.precision and sub(text, 1, spec.precision) or text
    local lead = spec.sharp and '0' .. verb or ''
    local digits = gsub(text, '.', function(c) return format('%02' .. verb, byte(c)) .. (spec.space and ' ' .. lead or '') end)
    if spec.space and text ~= '' then digits = sub(digits, 1, -2 - #lead) end
    return text == '' and '' or lead .. digits
  end

  local function stringText(text, spec, verb)
    local fill = spec.zero and not spec.minus and '0' or ' '
    if verb == 's' or verb == 'v' then return padded(shortened(text, spec.precision), spec, fill) end
    if verb == 'q' then return padded(quoted(shortened(text, spec.precision), spec), spec, fill) end
    if verb == 'x' or verb == 'X' then return padded(hexOf(text, spec, verb), spec, fill) end
  end

  -- The whole part, as a 64-bit integer would hold it: what does not fit is the least of them.
  local function whole(n)
    if n ~= n or n >= 2 ^ 63 or n < -2 ^ 63 then return -2 ^ 63 end
    n = n < 0 and -floor(-n) or floor(n)
    return n == 0 and 0 or n
  end

  local digitsOf = '0123456789abcdef'
  local function inBase(n, radix)
    if radix == 10 then return format('%.0f', n) end
    local text = ''
    repeat
      local digit = n % radix
      text = sub(digitsOf, digit + 1, digit + 1) .. text
      n = (n - digit) / radix
    until n == 0
    return text
  end

  local function signed(isNegative, spec) return isNegative and '-' or spec.plus and '+' or spec.space and ' ' or '' end

  local radixes = { b = 2, o = 8, d = 10, i = 10, x = 16, X = 16 }
  local leads = { b = '0b', o = '0', x = '0x', X = '0X' }
  local function integerText(n, spec, verb)
    n = whole(n)
    local sign = signed(n < 0, spec)
    if spec.precision == 0 and n == 0 then return padded('', spec) end
    local text = inBase(n < 0 and -n or n, radixes[verb])
    local least = spec.precision or (spec.zero and not spec.minus and (spec.width or 0) - #sign) or 0
    if least > #text then text = rep('0', least - #text) .. text end
    if spec.sharp and leads[verb] and not (verb == 'o' and sub(text, 1, 1) == '0') then text = leads[verb] .. text end
    return padded(sign .. (verb == 'X' and gsub(text, '%l', string.upper) or text), spec)
  end

  -- Upper and lower case of the same verb are formatted alike.
  local function floatDigits(n, spec, verb)
    if spec.precision or spec.sharp or (verb ~= 'g' and verb ~= 'G') then
      local precision = spec.precision or 6
      local shown = precision > mostDigits and mostDigits or precision
      return format('%' .. (spec.sharp and '#' or '') .. '.' .. shown .. verb, n)
    end
    local text = shortest(n)
    return verb == 'G' and gsub(text, 'e', 'E') or text
  end

  local function floatText(n, spec, verb)
    if n ~= n then return padded(spec.plus and '+NaN' or 'NaN', spec) end
    if n == huge or n == -huge then return padded(n < 0 and '-Inf' or '+Inf', spec) end
    local isNegative = n < 0 or (n == 0 and 1 / n < 0)
    local sign = signed(isNegative, spec)
    local text = floatDigits(isNegative and -n or n, spec, verb == 'F' and 'f' or verb)
    local missing = spec.zero and not spec.minus and (spec.width or 0) - #sign - #text or 0
    if missing > 0 then text = rep('0', missing) .. text end
    return padded(sign .. text, spec)
  end

  local floats = { e = true, E = true, f = true, F = true, g = true, G = true }
  local function numberWith(n, spec, verb)
    if radixes[verb] then return integerText(n, spec, verb) end
    if floats[verb] then return floatText(n, spec, verb) end
    if verb == 'c' then return padded(encoded(whole(n)), spec, spec.zero and '0' or ' ') end
    if verb == 'U' then return padded('U+' .. format('%04X', whole(n) % 2 ^ 32), spec) end
    if verb == 'v' then return n == whole(n) and integerText(n, spec, 'd') or floatText(n, spec, 'g') end
    if verb == 's' or verb == 'q' then return stringText(numberText(n), spec, verb) end
    local isWhole = n == whole(n)
    local shown = isWhole and integerText(n, spec, 'd') or floatText(n, spec, 'g')
    return '%!' .. verb .. (isWhole and '(int64=' or '(float64=') .. shown .. ')'
  end

  local function valueText(value, spec, verb)
    local kind = type(value)
    if kind == 'number' then return numberWith(value, spec, verb) end
    if kind == 'string' then
      if verb == 'd' or verb == 'i' then
        return tonumber(value) and stringText(value, spec, 's') or integerText(0, spec, 'd')
      end
      return stringText(value, spec, verb) or '%!' .. verb .. '(string=' .. stringText(value, spec, 's') .. ')'
    end
    local text = tostring(value)
    if kind == 'boolean' and verb == 't' then return padded(text, spec) end
    local named = stringText(text, spec, verb)
    if named or kind == 'nil' then return named or '&{}' end
    return '%!' .. verb .. '(' .. (kind == 'boolean' and 'lua.LBool' or kind) .. '=' .. text .. ')'
  end

  local flags = { ['-'] = 'minus', ['+'] = 'plus', ['#'] = 'sharp', [' '] = 'space', ['0'] = 'zero' }
  -- What stands after a percent sign, and where it ends.
  local function specAt(text, at)
    local spec = {}
    while flags[sub(text, at, at)] do
      spec[flags[sub(text, at, at)]] = true
      at = at + 1
    end
    local width = match(text, '^%d+', at)
    if width then spec.width, at = tonumber(width), at + #width end
    local precision = match(text, '^%.(%d*)', at)
    if precision then spec.precision, at = tonumber(precision) or 0, at + 1 + #precision end
    local size = at <= #text and sizeAt(text, at) or 1
    return spec, sub(text, at, at + size - 1), at + size
  end

  local function directive(spec, verb, value, isMissing)
    if verb == '' then return '%!(NOVERB)' end
    if (spec.width or 0) > mostWidth then return '%!(BADWIDTH)' end
    if (spec.precision or 0) > mostWidth then return '%!(BADPREC)' end
    if isMissing then return '%!' .. verb .. '(MISSING)' end
    return valueText(value, spec, verb)
  end

  function goFormat(...)
    local text, values, count = textOf((...), 'format', 1), { select(2, ...) }, select('#', ...) - 1
    local parts, at, used = {}, 1, 0
    while true do
      local from = find(text, '%', at, true)
      parts[#parts + 1] = sub(text, at, (from or 0) - 1)
      if not from then return concat(parts) end
      local spec, verb, after = specAt(text, from + 1)
      if verb == '%' then
        parts[#parts + 1] = '%'
      else
        used = used + 1
        parts[#parts + 1] = directive(spec, verb, values[used], used > count)
      end
      at = after
    end
  end
end
`;
