import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Fairlead } from '../../test/e2e/fairlead.ts';

/** The options of Node with which a started program opens its inspector on a free port of loopback when it gets SIGUSR1. */
export const inspectable = '--inspect-port=127.0.0.1:0';

/** Collects all garbage of a program that was started with `inspectable`. Returns the bytes of its heap that are in use then. */
export async function collectGarbage(fairlead: Pick<Fairlead, 'pid' | 'log'>): Promise<number> {
  const socket = new WebSocket(await inspectorOf(fairlead), { perMessageDeflate: false });
  try {
    await once(socket, 'open');
    // the second time collects what finalizers of the first have released
    for (const id of [1, 2]) await call(socket, id, 'HeapProfiler.collectGarbage');
    const { usedSize = Number.NaN } = await call(socket, 3, 'Runtime.getHeapUsage');
    return usedSize;
  } finally {
    socket.terminate();
  }
}

type Answer = {
  readonly result?: { readonly usedSize?: number };
  readonly error?: { readonly message: string };
};

async function call(socket: WebSocket, id: number, method: string): Promise<{ readonly usedSize?: number }> {
  const answered = once(socket, 'message');
  socket.send(JSON.stringify({ id, method }));
  const [text] = await answered;
  const { result, error } = JSON.parse(String(text)) as Answer;
  if (!result) throw new Error(`the inspector of the program refused ${method}: ${error?.message}`);
  return result;
}

/** A program announces its inspector once; later signals change nothing. */
async function inspectorOf({ pid, log }: Pick<Fairlead, 'pid' | 'log'>): Promise<string> {
  process.kill(pid, 'SIGUSR1');
  for (let tries = 0; tries < 600; tries++) {
    const url = /Debugger listening on (ws:\S+)/.exec(log())?.[1];
    if (url) return url;
    await sleep(100);
  }
  throw new Error('the program did not open its inspector');
}
