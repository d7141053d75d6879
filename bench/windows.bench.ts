import type { Application, AppProject, SyncWindow } from '#base/model';
import { gateAutomation } from '#engine';
import type { BenchCase } from './harness.ts';

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop-web', namespace: 'argocd' },
  spec: { destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' } },
};
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];
const windows = Array.from(
  { length: 10 },
  (_, i): SyncWindow => ({
    kind: i % 2 === 0 ? 'deny' : 'allow',
    schedule: `${i * 5} ${i + 10} * * 1-5`,
    duration: '8h',
    timeZone: zones[i % zones.length] ?? 'UTC',
    applications: ['shop-*'],
    namespaces: ['other', 'more'],
  }),
);
const project: AppProject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'shop' },
  spec: { syncWindows: windows },
};
const closed = { ...project, spec: { syncWindows: windows.slice(0, 3) } };
const open = { ...project, spec: { syncWindows: windows.filter(({ kind }) => kind === 'allow') } };
const noon = new Date('2026-06-03T18:00:00Z');
const format = new Intl.DateTimeFormat('en-US', {
  timeZone: 'Europe/Berlin',
  hour: 'numeric',
  minute: 'numeric',
});

export const cases: BenchCase[] = [
  {
    name: 'windows: three windows judged, sync blocked',
    baseline: 'reading one wall clock with Intl',
    run: () => {
      gateAutomation(closed, app, noon);
    },
    against: () => {
      format.formatToParts(noon);
    },
  },
  {
    name: 'windows: five windows judged, sync allowed',
    baseline: 'reading one wall clock with Intl',
    run: () => {
      gateAutomation(open, app, noon);
    },
    against: () => {
      format.formatToParts(noon);
    },
  },
];
