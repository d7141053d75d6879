import { base } from './sandbox-base.ts';
import { formatting } from './sandbox-format.ts';
import { json } from './sandbox-json.ts';
import { limits } from './sandbox-limits.ts';
import { os } from './sandbox-os.ts';
import { patterns } from './sandbox-patterns.ts';

// Everything trusted is a local: no script can reach it, or change what it means.
const words = `
local collectgarbage, error, getmetatable, load, next, pcall, rawequal, rawget, rawlen, rawset, select, setmetatable,
  tonumber, tostring, type = collectgarbage, error, getmetatable, load, next, pcall, rawequal, rawget, rawlen, rawset,
  select, setmetatable, tonumber, tostring, type
local sethook, setupvalue, setTypeMetatable = debug.sethook, debug.setupvalue, debug.setmetatable
local clock = os.clock
local create, resume = coroutine.create, coroutine.resume
local concat, insert, remove, sort, unpack = table.concat, table.insert, table.remove, table.sort, table.unpack
local byte, char, find, format, gmatch, gsub, match, rep, sub = string.byte, string.char, string.find, string.format,
  string.gmatch, string.gsub, string.match, string.rep, string.sub
local floor, huge = math.floor, math.huge
local string, math, coroutine, assert, ipairs = string, math, coroutine, assert, ipairs
`;

// Every run gets a new environment, so nothing a script leaves behind is there for the next.
// compat engine H-25: closed, it has the basic functions of the language, table, package and a little of os
// dev engine H-26, X-30: os is there by its name as well as by require("os")
// dev engine H-27: opened, it has string, math and coroutine besides; files, programs and the rest of os are never there
// dev engine H-27: collectgarbage, getfenv, setfenv, module, newproxy and the metatable of strings are never there either
const environments = `
local function openLibraries(world, now)
  local text = {
    byte = byte, char = char, find = safeFind, format = paid(goFormat), gfind = safeGmatch, gmatch = safeGmatch, gsub = safeGsub,
    len = string.len, lower = paid(string.lower), match = safeMatch, rep = safeRep, reverse = paid(string.reverse),
    sub = paid(sub), upper = paid(string.upper),
  }
  local numbers = { mod = math.fmod }
  for name, value in next, math do numbers[name] = value end
  numbers.random, numbers.randomseed = randomizer(now)
  world.string, world.math = text, numbers
  world.coroutine = {
    create = guardedCreate, resume = guardedResume, running = coroutine.running, status = coroutine.status,
    wrap = guardedWrap, yield = coroutine.yield,
  }
  setTypeMetatable('', { __index = text })
end

local function newWorld(now, isOpen)
  local loaded = { os = osLibrary(now) }
  local world = {
    _VERSION = 'Lua 5.1', assert = assert, error = error, getmetatable = safeGetmetatable, ipairs = ipairs, next = next,
    pairs = orderedPairs, pcall = guardedPcall, print = function() end, rawequal = rawequal, rawget = rawget,
    rawset = rawset, require = requirer(loaded), select = select, setmetatable = safeSetmetatable, tonumber = tonumber,
    tostring = safeTostring, type = type, unpack = unpack, xpcall = guardedXpcall, os = loaded.os,
    table = {
      concat = safeConcat, getn = length, insert = safeInsert, maxn = maxn, remove = safeRemove, sort = safeSort,
    },
  }
  world._G = world
  world.load, world.loadstring = loader(world), loader(world)
  world.package = { loaded = loaded, preload = {}, path = '', cpath = '' }
  setTypeMetatable('', nil)
  if isOpen then openLibraries(world, now) end
  for _, name in next, { 'table', 'string', 'math', 'coroutine' } do loaded[name] = world[name] end
  loaded._G = world
  return world
end

-- Compiling costs more than most scripts do. A chunk has one upvalue, its world, and each run gets a new one.
local chunks, chunkCount = {}, 0
local function chunkOf(script, world)
  local chunk = chunks[script]
  if not chunk then
    local problem
    chunk, problem = load(script, '=script', 't', world)
    if not chunk then error(problem, 0) end
    if chunkCount >= 256 then chunks, chunkCount = {}, 0 end
    chunks[script], chunkCount = chunk, chunkCount + 1
  end
  setupvalue(chunk, 1, world)
  return chunk
end

local function last(...)
  local n = select('#', ...)
  if n == 0 then return nil end
  return (select(n, ...))
end

local function attempt(job)
  local world = newWorld(job.now, job.open)
  for name, value in next, job.globals do world[name] = value end
  local value = last(chunkOf(job.script, world)())
  if value == nil then return nil end
  local encode, result = encoder(job.output)
  encode(value, 0)
  return result()
end

local function outcome(why, ok, value)
  setTypeMetatable('', nil)
  if why then return 'limit', why end
  if ok then return value and 'value' or 'nothing', value or '' end
  if value == 'not enough memory' then return 'limit', 'memory' end
  if type(value) == 'string' or type(value) == 'number' then return 'error', '' .. value end
  return 'error', 'it raised an error that is a ' .. type(value)
end

return function(makeJob)
  local job = makeJob()
  begin(job)
  local ok, value = pcall(attempt, job)
  return outcome(finish(), ok, value)
end
`;

/** The program that runs scripts. It returns one function: a job in, a word and a text out. */
export const sandbox = [
  '-- fairlead',
  words,
  limits,
  base,
  formatting,
  patterns,
  os,
  json,
  environments,
].join('\n');
