/**
 * oidc: the conversation with an OpenID Connect provider, for the server and the command line (compat server §4.4).
 *
 * Invariants
 * (1) A code is exchanged with the verifier (PKCE, S256), the state and the nonce of the login that requested it, and only once.
 * (2) Every request goes through the caller's `request`, which decides what may be reached and trusted. No redirect is followed.
 * (3) An error names the provider and the reason; it holds no token, code or secret.
 */
export {
  type LoginSecrets,
  newLoginSecrets,
  OidcProvider,
  type OidcRequest,
  type OidcTokens,
} from './provider.ts';
