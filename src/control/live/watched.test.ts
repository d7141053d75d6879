import { expect, test } from 'vitest';
import { type Ctx, FairleadError, realClock, silent } from '#base/std';
import { type ApiResource, createKubeClient } from '#kubernetes/client';
import { ReadyGate } from './ready-gate.ts';
import { type WatchedKind, whenKnown } from './watched.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

/** The refusal of a server, as it comes from one. */
async function refused(code: number, reason: string, message: string): Promise<FairleadError> {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
  const kube = createKubeClient({ transport: async () => ({ status: code, headers: {}, body }) });
  return kube.raw(ctx, { method: 'GET', path: '/x' }).then(
    () => new FairleadError('Internal', 'it was granted'),
    (error) => FairleadError.from(error),
  );
}

function kindOf(kind: string, become: (gate: ReadyGate) => void): WatchedKind {
  const resource = { group: 'two.example.com', kind } as ApiResource;
  const gates = [new ReadyGate(), new ReadyGate()];
  for (const gate of gates) become(gate);
  return { resource, synced: gates, isWhole: false, isSkipped: false };
}
const known = kindOf('Known', (gate) => gate.open());
const concerning = (name: string) => (one: { kind: string }) => one.kind === name;

test('a kind of which the server cannot tell keeps those waiting whom it concerns, and nobody else', async () => {
  const said = 'conversion webhook for two.example.com/v1, Kind=Thing failed';
  const error = await refused(500, 'InternalError', said);
  const kinds = [kindOf('Thing', (gate) => gate.fail(error)), known];
  await expect(whenKnown(ctx, kinds)).rejects.toThrow(said);
  await expect(whenKnown(ctx, kinds, concerning('Thing'))).rejects.toThrow(said);
  await whenKnown(ctx, kinds, concerning('Known'));
});

test('what keeps us from the cluster, or from what we may see of it, concerns everybody', async () => {
  const away = new FairleadError('Unavailable', 'connect ECONNREFUSED');
  const forbidden = await refused(403, 'Forbidden', 'things is forbidden');
  for (const error of [away, forbidden]) {
    const kinds = [known, kindOf('Thing', (gate) => gate.fail(error))];
    await expect(whenKnown(ctx, kinds, concerning('Known'))).rejects.toThrow(error.message);
  }
});

test('nothing is known of a kind before its first list has come or failed', async () => {
  const gates: ReadyGate[] = [];
  const kinds = [kindOf('Thing', (gate) => gates.push(gate)), known];
  let isOver = false;
  const waiting = whenKnown(ctx, kinds, concerning('Known')).then(() => {
    isOver = true;
  });
  gates[0]?.open();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  gates[1]?.fail(await refused(500, 'InternalError', 'nobody converts it'));
  await waiting;
});
