/** Lua: the two functions of `os` that a script may have. The caller supplies the time, and always in UTC. */
// dev engine H-26: date has the usual letters; the peer's library misprints %a and %x and lacks %j and %T
export const os = `
local dayNames = { 'Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday' }
local monthNames = { 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December' }

-- Days since 1970-01-01 of a date in the Gregorian calendar; months and days beyond their range carry over.
local function daysFrom(year, month, day)
  year, month = year + floor((month - 1) / 12), (month - 1) % 12 + 1
  if month <= 2 then year, month = year - 1, month + 12 end
  local era = floor(year / 400)
  local ofEra = year - era * 400
  local ofYear = floor((153 * (month - 3) + 2) / 5) + day - 1
  return era * 146097 + ofEra * 365 + floor(ofEra / 4) - floor(ofEra / 100) + ofYear - 719468
end

local function dateFrom(seconds)
  local days = floor(seconds / 86400)
  local rest = floor(seconds - days * 86400)
  local shifted = days + 719468
  local era = floor(shifted / 146097)
  local ofEra = shifted - era * 146097
  local yearOfEra = floor((ofEra - floor(ofEra / 1460) + floor(ofEra / 36524) - floor(ofEra / 146096)) / 365)
  local ofYear = ofEra - (365 * yearOfEra + floor(yearOfEra / 4) - floor(yearOfEra / 100))
  local monthIndex = floor((5 * ofYear + 2) / 153)
  local month = monthIndex < 10 and monthIndex + 3 or monthIndex - 9
  local year = yearOfEra + era * 400 + (month <= 2 and 1 or 0)
  return {
    year = year, month = month, day = ofYear - floor((153 * monthIndex + 2) / 5) + 1,
    hour = floor(rest / 3600), min = floor(rest / 60) % 60, sec = rest % 60,
    wday = (days + 4) % 7 + 1, yday = days - daysFrom(year, 1, 1) + 1, isdst = false,
  }
end

local function two(n) return format('%02d', n) end
local conversions
conversions = {
  a = function(d) return sub(dayNames[d.wday], 1, 3) end,
  A = function(d) return dayNames[d.wday] end,
  b = function(d) return sub(monthNames[d.month], 1, 3) end,
  B = function(d) return monthNames[d.month] end,
  c = function(d)
    return two(d.day) .. ' ' .. conversions.b(d) .. ' ' .. two(d.year % 100) .. ' ' .. two(d.hour) .. ':' .. two(d.min)
      .. ' UTC'
  end,
  d = function(d) return two(d.day) end,
  F = function(d) return d.year .. '-' .. two(d.month) .. '-' .. two(d.day) end,
  H = function(d) return two(d.hour) end,
  I = function(d) return two((d.hour + 11) % 12 + 1) end,
  j = function(d) return format('%03d', d.yday) end,
  m = function(d) return two(d.month) end,
  M = function(d) return two(d.min) end,
  p = function(d) return d.hour < 12 and 'AM' or 'PM' end,
  s = function(d, t) return format('%.0f', t) end,
  S = function(d) return two(d.sec) end,
  T = function(d) return two(d.hour) .. ':' .. two(d.min) .. ':' .. two(d.sec) end,
  w = function(d) return d.wday - 1 end,
  x = function(d) return two(d.month) .. '/' .. two(d.day) .. '/' .. two(d.year % 100) end,
  X = function(d) return conversions.T(d) end,
  y = function(d) return two(d.year % 100) end,
  Y = function(d) return d.year end,
  z = function() return '+0000' end,
  Z = function() return 'UTC' end,
  ['%'] = function() return '%' end,
}

local function fieldOf(date, name, default)
  local value = tonumber(date[name])
  if value == nil and default == nil then error("field '" .. name .. "' missing in date table", 3) end
  return value or default
end

local function osLibrary(now)
  local function time(date)
    if date == nil then return now end
    local days = daysFrom(fieldOf(date, 'year'), fieldOf(date, 'month'), fieldOf(date, 'day'))
    return days * 86400 + fieldOf(date, 'hour', 12) * 3600 + fieldOf(date, 'min', 0) * 60 + fieldOf(date, 'sec', 0)
  end
  local function date(pattern, at)
    pattern = pattern == nil and '%c' or textOf(pattern, 'date', 1)
    at = at == nil and now or floor(tonumber(at) or 0)
    if sub(pattern, 1, 1) == '!' then pattern = sub(pattern, 2) end
    if at ~= at or at > 1e12 or at < -1e12 then error("bad argument #2 to 'date' (time out of range)", 2) end
    local parts = dateFrom(at)
    if sub(pattern, 1, 2) == '*t' then return parts end
    return (gsub(pattern, '%%(.)', function(letter)
      local convert = conversions[letter]
      return convert and convert(parts, at) or nil
    end))
  end
  return { time = time, date = date }
end
`;
