import { expect, test } from 'vitest';
import { parseSettings } from './parse-settings.ts';
import type { Settings } from './settings.ts';

const render = (params: Record<string, string>): Settings['render'] =>
  parseSettings({ params }, JSON.parse).render;

test('what archives may hold is said for charts and artifacts, and may be left open (HRP-4, OCI-3, OCI-5)', () => {
  expect(render({})).toMatchObject({ maxChartExtractedSize: 1e9, maxArtifactExtractedSize: 1e9 });
  const said = render({
    'reposerver.helm.manifest.max.extracted.size': '20M',
    'reposerver.oci.manifest.max.extracted.size': '5M',
    'reposerver.disable.oci.manifest.max.extracted.size': 'true',
    'reposerver.oci.layer.media.types': 'application/x-tar, application/y.tar+gzip',
  });
  expect(said).toMatchObject({ maxChartExtractedSize: 20_000_000, maxArtifactExtractedSize: 0 });
  expect(said.ociMediaTypes).toEqual(['application/x-tar', 'application/y.tar+gzip']);
});
