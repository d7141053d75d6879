import { type Ctx, FairleadError, isObject, joined, printJson } from '#base/std';
import { UpgradeRefused, type WebSocketEnd } from '#platform/web-socket';
import { type Api, served } from './api.ts';
import { refusal } from './errors.ts';
import { lenient } from './http.ts';
import type { PodRef } from './logs.ts';
import { objectPath } from './path.ts';
import type { OpenStream } from './transport.ts';

export type ExecOptions = {
  readonly container?: string;
  readonly command: readonly string[];
};

/** How a command in a container ended; `message` where the cluster gave one. */
type ExecEnd = { readonly code: number; readonly message: string };

/** A command that runs in a container, on a terminal of its own. */
export type ExecSession = {
  /** What it prints, until it ends. */
  readonly output: AsyncIterable<Uint8Array>;
  /** How it ended; known when the output has ended. */
  readonly end: () => ExecEnd;
  write(input: string): Promise<void>;
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Ends it. Safe to repeat. */
  close(): void;
};

const pods = { apiVersion: 'v1', kind: 'Pod' };
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
const signalled = 255;

type Streaming = {
  readonly api: Api;
  readonly openStream: OpenStream | undefined;
  readonly impersonate: string | undefined;
};

/**
 * Runs a command with a terminal in a container of a pod. Ends when `ctx` does. Throws KubeError when the cluster refuses;
 * whether the command exists is known only by how it ends.
 */
export async function exec(
  ctx: Ctx,
  { api, openStream, impersonate }: Streaming,
  pod: PodRef,
  { container, command }: ExecOptions,
): Promise<ExecSession> {
  if (!openStream)
    throw new FairleadError('Unavailable', 'this connection to the cluster carries no streams');
  const over = new AbortController();
  const { signal, release } = joined(ctx.signal, over.signal);
  const end = await served(ctx, api, pods, async (resource) => {
    const query = new URLSearchParams({ stdin: 'true', stdout: 'true', tty: 'true' });
    if (container) query.set('container', container);
    for (const word of command) query.append('command', word);
    const path = `${objectPath(resource, { ...pod, subresource: 'exec' })}?${query}`;
    const headers = { 'user-agent': 'fairlead', ...(impersonate && { 'impersonate-user': impersonate }) };
    return openStream({ method: 'GET', path, headers, signal }, protocols).catch((error: unknown) => {
      throw error instanceof UpgradeRefused ? refusal(error.status, lenient(error.text)) : error;
    });
  }).catch((error: unknown) => {
    release();
    throw error;
  });
  return sessionOf(end, () => {
    over.abort();
    release();
  });
}

function sessionOf(end: WebSocketEnd, onClose: () => void): ExecSession {
  let ended: ExecEnd = { code: signalled, message: 'the connection ended' };
  const close = (): void => {
    end.close();
    onClose();
  };
  async function* output(): AsyncGenerator<Uint8Array> {
    try {
      for await (const message of end.messages()) {
        const [channel] = message;
        if (channel === channels.error) ended = endIn(message.subarray(1).toString());
        else if (channel === channels.stdout || channel === channels.stderr) yield message.subarray(1);
      }
    } finally {
      close();
    }
  }
  return {
    output: output(),
    end: () => ended,
    write: (input) => end.sent(framed(channels.stdin, input)),
    resize: ({ columns, rows }) =>
      end.send(framed(channels.resize, printJson({ Width: columns, Height: rows }))),
    close,
  };
}

const framed = (channel: number, text: string): Uint8Array =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);

/** The last message is a Status; the code of a command that failed is among its causes. */
function endIn(text: string): ExecEnd {
  const status = lenient(text);
  if (!isObject(status)) return { code: signalled, message: text };
  if (status.status === 'Success') return { code: 0, message: '' };
  const causes =
    isObject(status.details) && Array.isArray(status.details.causes) ? status.details.causes : [];
  const exit = causes.filter(isObject).find(({ reason }) => reason === 'ExitCode');
  return { code: Number(exit?.message ?? signalled), message: String(status.message ?? '') };
}
