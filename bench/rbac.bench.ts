import { type Enforcer as Casbin, newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { compileGlob, type Glob } from '#base/std';
import { Enforcer, parsePolicy } from '#engine';
import type { BenchCase } from './harness.ts';

const model = `
[request_definition]
r = sub, res, act, obj
[policy_definition]
p = sub, res, act, obj, eft
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = g(r.sub, p.sub) && policyMatch(r.res, p.res) && policyMatch(r.act, p.act) && policyMatch(r.obj, p.obj)
`;
const actions = ['get', 'sync', 'update/*', 'action/*', '*'];
const csv = [
  ...Array.from(
    { length: 500 },
    (_, i) =>
      `p, role:${i % 50}, applications, ${actions[i % 5]}, team-${i}/*, ${i % 11 === 0 ? 'deny' : 'allow'}`,
  ),
  ...Array.from({ length: 50 }, (_, i) => `g, group-${i}, role:${i}`),
].join('\n');
const questions = Array.from({ length: 20 }, (_, i) => ({
  group: `group-${(i * 7) % 50}`,
  asked: { resource: 'applications', action: i % 2 ? 'get' : 'sync', object: `team-${i * 21}/web` },
}));

const enforcer = new Enforcer({ policy: parsePolicy(csv), defaultRole: 'role:none', matchMode: 'glob' });
const compiled = new Map<string, Glob | undefined>();
let casbin: Casbin | undefined;

async function oracle(): Promise<Casbin> {
  if (casbin) return casbin;
  casbin = await newEnforcer(newModelFromString(model), new StringAdapter(csv));
  await casbin.addFunction('policyMatch', (text: string, pattern: string) => {
    if (!compiled.has(pattern)) compiled.set(pattern, compileGlob(pattern));
    return compiled.get(pattern)?.(text) === true;
  });
  return casbin;
}

export const cases: BenchCase[] = [
  {
    name: 'rbac: one decision, 500 rules and 50 groups',
    baseline: 'casbin, without its cache',
    operations: questions.length,
    run: () => {
      for (const { group, asked } of questions) {
        enforcer.judge({ user: 'jane', groups: [group], isLocal: false }, asked);
      }
    },
    against: async () => {
      const rival = await oracle();
      for (const { group, asked } of questions) {
        await rival.enforce(group, asked.resource, asked.action, asked.object);
      }
    },
  },
];
