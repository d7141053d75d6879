import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadLua } from './lua.ts';

const lua = await loadLua();
const run = (script: string, globals: Record<string, unknown>): unknown =>
  lua.run({ script, globals, openLibs: true, now: 0 });

const piece = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    '%a',
    '%d',
    '%s',
    '%.',
    '%%',
    '[ab]',
    '[^a]',
    '[%d_]',
    '[a-c]',
    '[]]',
    '[^]a]',
    '$',
    '%W',
  ],
);
const suffix = fc.constantFrom('', '', '', '*', '+', '-', '?');
const item = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(piece, suffix).map(([one, times]) => one + times) },
  fc.constantFrom('%b()', '%f[%a]', '%f[^a]', '()', '%1'),
);
const group = fc.array(item, { maxLength: 3 }).map((items) => `(${items.join('')})`);
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '^'),
    fc.array(fc.oneof(item, group), { maxLength: 5 }),
    fc.constantFrom('', '$'),
  )
  .map(([start, items, end]) => ({ start, rest: items.join('') + end }));
const text = fc.string({ unit: fc.constantFrom(...'aabbc()1_ .%'), maxLength: 14 });

// "z" is in no text; asked for often enough it sends the pattern to our own matcher and changes nothing else
const nothing = 'z?'.repeat(24);

test('our matcher agrees with the runtime about every pattern, in every function', () => {
  const script = `
    local function all(p)
      local function pack(...) local t = {} for i = 1, select('#', ...) do t[i] = tostring((select(i, ...))) end return t end
      local found = {}
      local function try(name, f, ...) local r = pack(pcall(f, ...)) if r[1] == 'true' then found[name] = r else found[name] = 'fails' end end
      try('find', string.find, text, p)
      try('from', string.find, text, p, 3)
      try('back', string.match, text, p, -2)
      try('match', string.match, text, p)
      try('gsub', string.gsub, text, p, '<%0>')
      try('some', string.gsub, text, p, 'x', 2)
      try('call', string.gsub, text, p, function(a) if a == 'a' then return 'A' end end)
      try('look', string.gsub, text, p, { a = 'A', b = false })
      try('each', function() local t = {} for a, b in string.gmatch(text, p) do t[#t + 1] = tostring(a) .. tostring(b) end return table.concat(t, ',') end)
      return found
    end
    return { all(light), all(heavy) }`;
  fc.assert(
    fc.property(text, pattern, (sample, { start, rest }) => {
      // gmatch takes a caret for a letter, so there the two patterns differ
      const globals = { text: sample, light: start + rest, heavy: start + nothing + rest };
      const [light, heavy] = run(script, globals) as Record<string, unknown>[];
      if (start) expect({ ...heavy, each: 0 }).toEqual({ ...light, each: 0 });
      else expect(heavy).toEqual(light);
    }),
    { numRuns: 1_000 },
  );
});

test('our matcher refuses what the runtime refuses', () => {
  const script = `local ok, problem = pcall(string.match, 'aaa', p) return { ok, tostring(problem) }`;
  for (const bad of ['%', '[a', '%b', '%f', '(a', 'a)', '%1', '('.repeat(40)]) {
    const [light, heavy] = [bad, nothing + bad].map((p) => run(script, { p }) as [boolean, string]);
    expect([bad, heavy?.[0]]).toEqual([bad, light?.[0]]);
    expect(heavy?.[1]).toMatch(/\w/);
  }
});

test('a replacement may be text with captures, a number, or nothing fit', () => {
  const script = `
    local function both(with) return { (light:gsub('(a)(b?)', with)), (light:gsub(heavy, with)) } end
    local ok = pcall(string.gsub, light, heavy, function() return {} end)
    return { both('%2%1%%'), both(7), both({ a = 1 }), ok, (pcall(string.gsub, light, heavy, '%9')) }`;
  const globals = { light: 'abxa', heavy: `${nothing}(a)(b?)` };
  expect(run(script, globals)).toEqual([['ba%xa%', 'ba%xa%'], ['7x7', '7x7'], ['1x1', '1x1'], false, false]);
});
