import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onHead } from './on-head.ts';

type RegistryOptions = {
  /** How one is let in; left out: everybody is. `token` sends clients to a token service on the same port. */
  readonly auth?: { readonly kind: 'basic' | 'token'; readonly login: string };
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Tags that a page of the list has at most. */
  readonly page?: number;
  /** Answers what it returns true for, before the registry does. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

type Layer = { readonly mediaType: string; readonly bytes: Uint8Array };
type Stored = { readonly mediaType: string; readonly bytes: Buffer };

export type OciRegistry = {
  /** `host:port` */
  readonly host: string;
  /** One line for each request: method, path, status, and who asked. */
  readonly requests: string[];
  /** Puts an artifact there without asking anybody; the digest of its manifest. */
  put(
    name: string,
    tag: string,
    artifact: {
      layers: readonly Layer[];
      configType?: string;
      annotations?: Record<string, string>;
      manifest?: object;
    },
  ): string;
  /** Alters what is kept under a digest, as a damaged disk would. */
  corrupt(digest: string): void;
  close(): Promise<void>;
};

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const imageManifest = 'application/vnd.oci.image.manifest.v1+json';

/** A registry after the OCI distribution specification: pull, push, tags, and the token service of its neighbours. */
export async function ociRegistry(options: RegistryOptions = {}): Promise<OciRegistry> {
  const stored = new Blobs();
  const requests: string[] = [];
  let origin = '';
  const onRequest: RequestListener = (request, response) => {
    const who = request.headers.authorization ?? 'nobody';
    onHead(response, (status) => requests.push(`${request.method} ${request.url} ${status} ${who}`));
    if (options.first?.(request, response)) return;
    const url = new URL(request.url ?? '', origin);
    if (url.pathname === '/token') token(options, request, url, response);
    else if (isLetIn(options, who))
      void answer(stored, request, response, { url, page: options.page ?? 1000 });
    else challenge(options, origin, url, response);
  };
  const server = options.tls ? createTlsServer(options.tls, onRequest) : createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  origin = `${options.tls ? 'https' : 'http'}://${host}`;
  return {
    host,
    requests,
    put: (name, tag, artifact) => stored.artifact(name, tag, artifact),
    corrupt: (digest) => {
      stored.blobs.set(digest, Buffer.from('other bytes'));
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** What a registry keeps. */
class Blobs {
  readonly blobs = new Map<string, Buffer>();
  readonly manifests = new Map<string, Stored>();
  readonly tags = new Map<string, Map<string, string>>();
  readonly uploads = new Map<string, Buffer>();

  blob(bytes: Uint8Array): { digest: string; size: number } {
    const digest = digestOf(bytes);
    this.blobs.set(digest, Buffer.from(bytes));
    return { digest, size: bytes.length };
  }

  manifest(name: string, reference: string, stored: Stored): string {
    const digest = digestOf(stored.bytes);
    this.manifests.set(`${name}@${digest}`, stored);
    const tags = this.tags.get(name) ?? new Map<string, string>();
    this.tags.set(name, tags);
    if (!reference.startsWith('sha256:')) tags.set(reference, digest);
    return digest;
  }

  find(name: string, reference: string): Stored | undefined {
    const digest = reference.startsWith('sha256:') ? reference : this.tags.get(name)?.get(reference);
    return this.manifests.get(`${name}@${digest}`);
  }

  artifact(name: string, tag: string, artifact: Parameters<OciRegistry['put']>[2]): string {
    const { layers, configType = 'application/vnd.oci.empty.v1+json', annotations, manifest } = artifact;
    const whole = manifest ?? {
      schemaVersion: 2,
      mediaType: imageManifest,
      config: { mediaType: configType, ...this.blob(Buffer.from('{}')) },
      layers: layers.map(({ mediaType, bytes }) => ({ mediaType, ...this.blob(bytes) })),
      ...(annotations ? { annotations } : {}),
    };
    const mediaType = (whole as { mediaType?: string }).mediaType ?? imageManifest;
    return this.manifest(name, tag, { mediaType, bytes: Buffer.from(JSON.stringify(whole)) });
  }
}

const isLetIn = ({ auth }: RegistryOptions, who: string): boolean =>
  !auth || who === (auth.kind === 'basic' ? basic(auth.login) : 'Bearer lent');

const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;

function challenge({ auth }: RegistryOptions, origin: string, url: URL, response: ServerResponse): void {
  const name = /^\/v2\/(.+?)\/(?:manifests|blobs|tags)\//.exec(url.pathname)?.[1] ?? '';
  const scope = `scope="repository:${name}:pull,push"`;
  const wanted =
    auth?.kind === 'token'
      ? `Bearer realm="${origin}/token",service="registry",${scope}`
      : 'Basic realm="registry"';
  response.writeHead(401, { 'www-authenticate': wanted }).end('{"errors":[{"code":"UNAUTHORIZED"}]}');
}

function token(
  { auth }: RegistryOptions,
  request: IncomingMessage,
  url: URL,
  response: ServerResponse,
): void {
  const isKnown = request.headers.authorization === basic(auth?.login ?? '');
  if (!isKnown || url.searchParams.get('service') !== 'registry') response.writeHead(401).end();
  else response.writeHead(200).end(JSON.stringify({ token: 'lent', expires_in: 300 }));
}

type Asked = { readonly url: URL; readonly page: number };

async function answer(
  stored: Blobs,
  request: IncomingMessage,
  response: ServerResponse,
  { url, page }: Asked,
): Promise<void> {
  const [, name = '', kind = '', rest = ''] =
    /^\/v2\/(.+?)\/(manifests|blobs|tags)\/(.*)$/.exec(url.pathname) ?? [];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (url.pathname === '/v2/') response.writeHead(200).end('{}');
  else if (kind === 'tags') listTags(stored, name, { url, page }, response);
  else if (isRead && kind === 'blobs') {
    send(response, request, {
      digest: rest,
      bytes: stored.blobs.get(rest),
      type: 'application/octet-stream',
    });
  } else if (isRead) {
    const found = stored.find(name, decodeURIComponent(rest));
    const digest = found ? digestOf(found.bytes) : '';
    send(response, request, { digest, bytes: found?.bytes, type: found?.mediaType ?? '' });
  } else await write(stored, request, response, { url, name, kind, rest });
}

function send(
  response: ServerResponse,
  request: IncomingMessage,
  { digest, bytes, type }: { digest: string; bytes: Buffer | undefined; type: string },
): void {
  if (!bytes) {
    response.writeHead(404).end('{"errors":[{"code":"NOT_FOUND"}]}');
    return;
  }
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes.length,
    'docker-content-digest': digest,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function listTags(stored: Blobs, name: string, { url, page }: Asked, response: ServerResponse): void {
  const all = [...(stored.tags.get(name)?.keys() ?? [])].sort();
  if (!stored.tags.has(name)) {
    response.writeHead(404).end();
    return;
  }
  const last = url.searchParams.get('last') ?? '';
  const size = Math.min(page, Number(url.searchParams.get('n') ?? page));
  const rest = all.filter((tag) => tag > last);
  const tags = rest.slice(0, size);
  const link =
    rest.length > size ? `</v2/${name}/tags/list?n=${size}&last=${tags.at(-1)}>; rel="next"` : undefined;
  response.writeHead(200, { 'content-type': 'application/json', ...(link ? { link } : {}) });
  response.end(JSON.stringify({ name, tags }));
}

async function write(
  stored: Blobs,
  request: IncomingMessage,
  response: ServerResponse,
  { url, name, kind, rest }: { url: URL; name: string; kind: string; rest: string },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (kind === 'manifests') {
    const mediaType = request.headers['content-type'] ?? imageManifest;
    const digest = stored.manifest(name, decodeURIComponent(rest), { mediaType, bytes: body });
    response.writeHead(201, { location: url.pathname, 'docker-content-digest': digest }).end();
    return;
  }
  const id = rest.replace(/^uploads\//, '') || randomUUID();
  const held = Buffer.concat([stored.uploads.get(id) ?? Buffer.alloc(0), body]);
  stored.uploads.set(id, held);
  const digest = url.searchParams.get('digest');
  const location = `/v2/${name}/blobs/uploads/${id}`;
  if (request.method !== 'PUT' || !digest) {
    const range = `0-${Math.max(held.length - 1, 0)}`;
    response.writeHead(202, { location, range }).end();
    return;
  }
  stored.uploads.delete(id);
  const isRight = stored.blob(held).digest === digest;
  response.writeHead(isRight ? 201 : 400, { location: `/v2/${name}/blobs/${digest}` }).end();
}
