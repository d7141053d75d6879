import type { Check } from '../../check.ts';

/** Faults of files themselves: `diagnose` finds them while it reads. */
const nothing = { reads: [] as readonly string[], *find() {} };

export const fileUnreadable: Check = {
  ...nothing,
  id: 'file-unreadable',
  title: 'a file with manifests cannot be read',
  severity: 'error',
  why: 'nothing in it is applied, and the application that contains it fails to render.',
  fix: 'mend the YAML at the line that the finding names',
};

export const kustomizationUnbuilt: Check = {
  ...nothing,
  id: 'kustomization-unbuilt',
  title: 'a kustomization could not be built',
  severity: 'error',
  why: 'the application fails to render. Its files were checked as they are written instead.',
  fix: 'run kustomize build, or fairlead render, on the folder; a remote base needs the network and its credentials',
};

export const ignoreUnknown: Check = {
  ...nothing,
  id: 'ignore-unknown',
  title: 'an ignore comment names no check',
  severity: 'warning',
  why: 'the comment ignores nothing, or something that no longer exists.',
  fix: 'name a check: fairlead doctor --list prints them',
};
