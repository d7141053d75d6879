import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { cases } from '../../test/cases.ts';
import { admissionProblems } from './admit.ts';
import { applicationHints } from './hints.ts';

test.each(cases<string[]>(new URL('./testdata/admit/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    expect(admissionProblems(input[0])).toEqual(wanted);
  },
);

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: {
    name: 'web',
    annotations: { 'argocd.argoproj.io/sync-options': 'RespectIgnoreDifferences=true' },
  },
  spec: {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what the user wrote, as they wrote it
    source: { repoURL: 'r', path: '.', kustomize: { images: ['myapp=${IMAGE_TAG}', 'other:1.2'] } },
    destination: { namespace: 'shop' },
  },
};

test('a sync option does not open a window, and the author is told what does (X-22)', () => {
  const hints = applicationHints(app, [{ kind: 'deny', applications: ['*'] }]);
  expect(hints[0]).toContain('opens no sync window');
  expect(hints[0]).toContain('fairlead.io/sync-window-override');
  expect(applicationHints(app, [])).toHaveLength(1);
  expect(applicationHints({ ...app, metadata: { name: 'web' } }, [{ applications: ['*'] }])).toHaveLength(1);
});

test('a placeholder in an image is told to be a text (X-50)', () => {
  expect(applicationHints(app, undefined)).toEqual([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    'the image myapp=${IMAGE_TAG} in spec.source.kustomize.images is taken literally; write the tag itself',
  ]);
});
