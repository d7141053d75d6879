/** compat server §6.1: the names of one kind of entry in argocd-notifications-cm, sorted. */
export function namesOf(
  data: Readonly<Record<string, string>>,
  kind: 'service' | 'trigger' | 'template',
): { items: readonly { readonly name: string }[] } {
  const names = Object.keys(data)
    .filter((key) => key.startsWith(`${kind}.`))
    .map((key) => key.slice(kind.length + 1))
    // a service is named after its type where it has no name of its own
    .map((name) => (kind === 'service' ? name.slice(name.indexOf('.') + 1) : name));
  return {
    items: [...new Set(names)]
      .filter(Boolean)
      .sort()
      .map((name) => ({ name })),
  };
}
