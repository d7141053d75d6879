import { afterAll, beforeAll, expect, test } from 'vitest';
import { grpcMethods } from '#serve/grpc';
import { grpcClient } from '../grpc-client.ts';
import { type RbacGround, startRbacGround } from './rbac/ground.ts';
import { grpcPairs, requestOf } from './rbac/grpc-pairs.ts';
import { type Actor, actors } from './tenants.ts';

// Every method of gRPC as every kind of caller, by the table of the REST routes: neither way reaches what the other refuses.

let tenants: RbacGround;
let client: ReturnType<typeof grpcClient>;
beforeAll(async () => {
  tenants = await startRbacGround();
  client = grpcClient(tenants.fairlead.url);
});
afterAll(async () => {
  client.close();
  await tenants.close();
});

/** The older name of another method: it would find nothing left to delete. */
const twin = 'repository.RepositoryService/Delete';

const pairs = grpcPairs.filter(({ name }) => name !== twin);

test('every method is a route of REST', () => {
  const without = [...grpcMethods.keys()].filter((name) => !grpcPairs.some((pair) => pair.name === name));
  const open = ['version.VersionService/Version'];
  expect(without.filter((name) => !open.includes(name))).toEqual([]);
});

/** compat server §2.4: the HTTP status of each code of gRPC. */
const statuses: Readonly<Record<number, number>> = {
  ...{ 3: 400, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 12: 501, 14: 503, 16: 401 },
};

async function outcomeOf(actor: Actor, pair: (typeof pairs)[number]): Promise<string> {
  const { name, row } = pair;
  const request = requestOf(pair, await tenants.prepare(row));
  const token = row.withoutToken ? '' : tenants.tokens[actor];
  const refused = await client.refusal(name, request, { ...(token && { token }) });
  if (!refused) return '200';
  const { code, message } = refused;
  // a set that the caller may not see is not found, as one that does not exist
  if (name === 'applicationset.ApplicationSetService/Get' && message.endsWith('.io not found')) return '403';
  return String(statuses[code] ?? `code ${code}: ${message}`);
}

test.each(pairs)('$name', async (pair) => {
  const outcomes: string[] = [];
  for (const actor of actors) outcomes.push(await outcomeOf(actor, pair));
  expect(outcomes.join(' ')).toBe(pair.row.outcome);
});
