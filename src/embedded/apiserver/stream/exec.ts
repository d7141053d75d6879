import type { Duplex } from 'node:stream';
import { FairleadError, printJson } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { acceptSocket, refuseUpgrade, type WebSocketEnd } from '#platform/web-socket';
import { type Core, peek } from '../core.ts';
import type { Item } from '../item.ts';
import { flag, parseUrl } from '../path.ts';
import type { ServedRequest } from '../request.ts';
import { badRequest, internalError, notFound, StatusError } from '../status.ts';
import { viewOf } from './container-view.ts';
import { refuseConnections } from './port-forward.ts';
import { type Ended, run, runLine } from './shell.ts';
import { lined, Terminal } from './terminal.ts';

/** A connection that requests an upgrade from HTTP. */
export type Upgrade = {
  readonly request: ServedRequest;
  readonly socket: Duplex;
  /** The bytes that arrived behind the request. */
  readonly head: Uint8Array;
};

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, closed: 255 } as const;

/** compat cluster 2.8: `kubectl exec` and `attach` over a WebSocket, into a simulated shell, and `port-forward`. A refusal is a response of HTTP. */
export async function serveStream(core: Core, upgrade: Upgrade): Promise<void> {
  try {
    await stream(core, upgrade);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    refuseUpgrade(upgrade.socket, error.status.code, `${printJson(error.status)}\n`);
  }
}

/** Throws StatusError before it has sent anything. */
async function stream(core: Core, upgrade: Upgrade): Promise<void> {
  const { request } = upgrade;
  const url = parseUrl(request.path);
  core.access.admit(request, url);
  const { where, query } = url;
  const path = where.at === 'resource' ? where.path : undefined;
  const verb = path?.plural === 'pods' && path.group === '' ? path.subresource : '';
  if (!path || !['exec', 'attach', 'portforward'].includes(verb))
    throw badRequest('this path does not stream');
  const pod = peek(core, '/pods', path.namespace, path.name);
  if (!pod) throw notFound({ group: '', plural: 'pods', kind: 'Pod' }, path.name);
  const container = runningContainer(pod, query.get('container') ?? '');
  if (verb === 'portforward') return refuseConnections(upgrade, request.headers);
  const end = await acceptSocket(upgrade, protocolOf(request)).catch((error: unknown) => {
    throw badRequest(FairleadError.from(error).message);
  });
  const view = viewOf(core, pod, container);
  const io = { end, messages: end.messages(), isStdin: flag(query, 'stdin'), isTerminal: flag(query, 'tty') };
  const ended = verb === 'exec' ? await execute(query.getAll('command'), view, io) : await attached(io);
  finish(end, ended);
}

/** Only WebSockets: the older protocol (SPDY) is not supported. */
function protocolOf({ headers }: ServedRequest): string {
  if (headers.upgrade?.toLowerCase() !== 'websocket') {
    throw badRequest(
      'only WebSocket streams are served: use kubectl 1.31 or later, or set KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true',
    );
  }
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  const chosen = protocols.find((one) => offered.includes(one));
  if (chosen === undefined)
    throw badRequest(`no protocol in common: this server speaks ${protocols.join(', ')}`);
  return chosen;
}

function runningContainer(pod: Item, wanted: string): JsonObject {
  const name = pod.metadata.name ?? '';
  const spec = isObject(pod.spec) ? pod.spec : {};
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) =>
    (Array.isArray(spec[field]) ? spec[field] : []).filter(isObject),
  );
  const found = wanted === '' ? containers[0] : containers.find((one) => one.name === wanted);
  if (!found) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  const status =
    isObject(pod.status) && Array.isArray(pod.status.containerStatuses) ? pod.status.containerStatuses : [];
  const state = status.filter(isObject).find((one) => one.name === found.name)?.state;
  if (!isObject(state) || !isObject(state.running)) {
    throw internalError(`unable to upgrade connection: container not found ("${String(found.name)}")`);
  }
  return found;
}

type Io = {
  readonly end: WebSocketEnd;
  readonly messages: AsyncIterable<Buffer>;
  readonly isStdin: boolean;
  readonly isTerminal: boolean;
};

async function execute(command: readonly string[], view: ReturnType<typeof viewOf>, io: Io): Promise<Ended> {
  const base = command[0]?.split('/').at(-1) ?? '';
  const isShell = ['sh', 'bash', 'ash'].includes(base) && command[1] !== '-c';
  if (io.isStdin && isShell) return io.isTerminal ? onTerminal(view, io) : typed(view, io);
  if (io.isStdin && base === 'cat' && command.length === 1) return echoed(io);
  const ended = run(view, command);
  write(io.end, io.isTerminal ? onLines(ended) : ended);
  return ended;
}

/** An interactive shell: each complete line is run; `exit` or the end of input ends it. */
async function typed(view: ReturnType<typeof viewOf>, { end, messages }: Io): Promise<Ended> {
  let rest = '';
  let code = 0;
  for await (const text of input(messages)) {
    const lines = `${rest}${text}`.split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const ended = runLine(view, line);
      write(end, ended);
      code = ended.code;
      if (/^\s*exit\b/.test(line)) return { stdout: '', stderr: '', code };
    }
  }
  return { stdout: '', stderr: '', code };
}

/** As a terminal prints it: each line begins at the left. */
const onLines = ({ stdout, stderr, code }: Ended): Ended => ({
  stdout: lined(String(stdout)),
  stderr: lined(stderr),
  code,
});

/** The same on a terminal. */
async function onTerminal(view: ReturnType<typeof viewOf>, { end, messages }: Io): Promise<Ended> {
  const terminal = new Terminal(
    (line) => runLine(view, line),
    (text) => end.send(onChannel(channels.stdout, text)),
  );
  for await (const text of input(messages)) {
    for (const key of text) if (terminal.press(key)) return terminal.ended;
  }
  return terminal.ended;
}

async function echoed({ end, messages }: Io): Promise<Ended> {
  for await (const text of input(messages)) write(end, { stdout: text, stderr: '', code: 0 });
  return { stdout: '', stderr: '', code: 0 };
}

/** No process runs, so there is no output; the stream stays open until the client disconnects. */
async function attached({ end, messages }: Io): Promise<Ended> {
  write(end, {
    stdout: '',
    stderr: 'this container is simulated: it prints nothing here; see kubectl logs\n',
    code: 0,
  });
  for await (const _ of input(messages));
  return { stdout: '', stderr: '', code: 0 };
}

/** The client's input, until it closes it. */
async function* input(messages: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const message of messages) {
    if (message[0] === channels.closed && message[1] === channels.stdin) return;
    if (message[0] === channels.stdin) yield message.subarray(1).toString();
  }
}

function write(end: WebSocketEnd, { stdout, stderr }: Ended): void {
  if (stdout.length > 0) end.send(onChannel(channels.stdout, stdout));
  if (stderr.length > 0) end.send(onChannel(channels.stderr, stderr));
}

const onChannel = (channel: number, data: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(data)]);

function finish(end: WebSocketEnd, { code }: Ended): void {
  const success = { metadata: {}, status: 'Success' };
  const failure = {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
  end.send(onChannel(channels.error, printJson(code === 0 ? success : failure)));
  end.close();
}
