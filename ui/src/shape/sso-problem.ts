/** What went wrong with single sign-on, by the word that the server gives for it; texts of other programs are not shown. */
const sentences: Readonly<Record<string, string>> = {
  'not-configured': 'Single sign-on is not configured: set oidc.config in argocd-cm.',
  dex: 'dex.config has no effect here: put your identity provider into oidc.config of argocd-cm.',
  'no-url': 'Single sign-on needs the address of this site: set url in argocd-cm.',
  unavailable:
    'The identity provider cannot be reached. Who is signed in stays signed in; the log of the server says more.',
  'not-begun': 'The sign-in was not begun in this browser, or took longer than five minutes. Try again.',
  denied: 'The identity provider did not let you in.',
  refused: 'The answer of the identity provider was not accepted. The log of the server says why.',
  busy: 'Too many people sign in at once. Try again in a moment.',
};

/** Undefined when nothing went wrong. */
export function ssoProblem(query: URLSearchParams): string | undefined {
  if (!query.has('has_sso_error')) return undefined;
  return sentences[query.get('sso_error') ?? ''] ?? 'Single sign-on failed. The log of the server says why.';
}
