import { expect, test } from 'vitest';
import { diagnoseFiles, readDoctorFile } from '#engine/doctor';
import { doctorText } from './report-text.ts';

const template = `apiVersion: argoproj.io/v1alpha1
kind: AnalysisTemplate
metadata: {name: rate}
spec:
  metrics:
    - name: of-a-range
      provider: {prometheus: {address: "http://p", query: "avg(rate[5m])"}}
    - name: unguarded
      successCondition: result[0] > 1
      provider: {prometheus: {address: "http://p", query: rate}}
`;

test('findings of one check with different severities stand under headings of their own, the worst first', () => {
  const { findings } = diagnoseFiles({ files: [readDoctorFile('a.yaml', template)], renders: [] });
  const summary = { examined: '1 file', below: 0, ignored: 0, remarks: [] };
  const text = doctorText(findings, summary, (_colour, shown) => shown);
  expect(text.match(/^(?:error|warning|note) .*|^ {2}a\.yaml.*/gm)).toEqual([
    expect.stringMatching(/^error {2}.* {2}rollout-refused$/),
    expect.stringMatching(/^ {2}a\.yaml:6 {2}.*avg_over_time\(\)$/),
    expect.stringMatching(/^warning {2}.* {2}rollout-refused$/),
    expect.stringMatching(/^ {2}a\.yaml:8 {2}.*len\(result\) > 0$/),
  ]);
});
