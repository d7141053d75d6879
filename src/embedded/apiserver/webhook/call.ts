import { request } from 'node:https';
import { printJson } from '#base/std';

/** The address of a webhook, from its configuration. */
export type ClientConfig = {
  readonly url?: string;
  readonly caBundle?: string;
  readonly service?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly path?: string;
    readonly port?: number;
  };
};

/** Thrown when a webhook call failed; the message is Kubernetes' own as far as there is one. */
export class CallError extends Error {}

/** compat cluster 3.17: the largest response that is read; a real server reads 3 MiB and ignores the rest. */
const largestAnswer = 3 * 1024 * 1024;

type PostOptions = {
  readonly timeoutSeconds: number;
  readonly agent: string;
  readonly hasService: HasService;
};

/** Whether a service of this name exists. */
export type HasService = (namespace: string, name: string) => boolean;

/**
 * Posts a review and returns the response text. Follows no redirects. Rejects with CallError, always within the
 * timeout.
 */
export async function post(config: ClientConfig, body: unknown, options: PostOptions): Promise<string> {
  const { timeoutSeconds, hasService } = options;
  const unreachable = serviceProblem(config, timeoutSeconds, hasService);
  if (unreachable !== undefined) throw new CallError(unreachable);
  const place = `${config.url ?? ''}?timeout=${timeoutSeconds}s`;
  const url = new URL(place);
  const { status, text } = await sent(url, config, printJson(body), options).catch((error: unknown) => {
    throw new CallError(`Post "${place}": ${reported(error, url)}`);
  });
  if (status >= 200 && status < 300) return text;
  throw new CallError(refusalOf(status, text));
}

/**
 * compat cluster 5.1: simulated pods run nothing, so no service has a backend. Undefined when the config names no
 * service.
 */
export function serviceProblem(
  { service }: ClientConfig,
  timeoutSeconds: number,
  hasService: HasService,
): string | undefined {
  if (!service) return undefined;
  const { name = '', namespace = '', path = '', port = 443 } = service;
  const quoted = JSON.stringify(name);
  const why = hasService(namespace, name)
    ? `no endpoints available for service ${quoted}`
    : `service ${quoted} not found`;
  return `Post "https://${name}.${namespace}.svc:${port}${path}?timeout=${timeoutSeconds}s": ${why}`;
}

type Answer = { readonly status: number; readonly text: string };

function sent(
  url: URL,
  { caBundle }: ClientConfig,
  body: string,
  { timeoutSeconds, agent }: PostOptions,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  return new Promise((resolve, reject) => {
    const requested = request(
      url,
      {
        method: 'POST',
        signal,
        agent: false,
        ...(caBundle && { ca: Buffer.from(caBundle, 'base64') }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': agent,
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > largestAnswer) requested.destroy(new CallError('the answer is larger than 3 MiB'));
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    requested.on('error', reject);
    requested.end(body);
  });
}

const certificateProblems: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'certificate has expired or is not yet valid',
};

/** The error, in Go's words where they are known. */
function reported(error: unknown, { hostname, port }: URL): string {
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return 'context deadline exceeded';
  if (code === 'ECONNREFUSED') return `dial tcp ${hostname}:${port || 443}: connect: connection refused`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `tls: failed to verify certificate: x509: certificate is not valid for ${hostname}`;
  }
  const certificate = certificateProblems[code];
  return certificate ? `tls: failed to verify certificate: x509: ${certificate}` : message;
}

function refusalOf(status: number, text: string): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status >= 500) {
    return `an error on the server (${JSON.stringify(text.slice(0, 2048))}) has prevented the request from succeeding`;
  }
  return `the server answered ${status}`;
}
