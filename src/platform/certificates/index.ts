/**
 * certificates: writes X.509 certificates, for the embedded cluster and for the server's TLS port (decisions 17 and 50).
 *
 * Invariants
 * (1) A key is new with every certificate, on P-256, and leaves this room only with its certificate.
 * (2) A certificate that a program is served with names its hosts; nothing is read from its common name.
 */
export { Authority, type CertificatePair, selfSigned } from './issue.ts';
