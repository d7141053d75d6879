import { FairleadError } from '#base/std';

const unknownAuthority =
  'its certificate is not signed by a known authority: give that authority as certificate-authority-data in a ' +
  'kubeconfig, or as tlsClientConfig.caData in a cluster secret';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to its network',
  ETIMEDOUT: 'it does not answer',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name: give that name as tls-server-name in a kubeconfig, ' +
    'or as tlsClientConfig.serverName in a cluster secret',
};

/**
 * Converts a network error into a FairleadError with an explanation, the address and no other data of ours.
 */
export function unreachable(host: string, error: unknown): FairleadError {
  if (error instanceof FairleadError) return error;
  const code = codeOf(error);
  // both address families were refused: the first error represents all
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const why = sentences[code ?? ''] ?? sentences[codeOf(inner) ?? ''] ?? messageOf(inner);
  return new FairleadError('Unavailable', `cannot reach the cluster at ${host}: ${why}`, error);
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the connection failed';
}
