import { expect, test } from 'vitest';
import { type Application, defaultSettings, type Health, type ResourceStatus } from '#model';
import { cases } from '../../test/cases.ts';
import { compare } from './compare.ts';
import { prepareTarget } from './target.ts';
import { defaultTracking, ownerOf } from './tracking.ts';

type Wanted = {
  status: string;
  health: Health;
  resources: string[];
  hooks?: string[];
  deleteHooks?: string[];
  conditions?: string[];
};

function spelled({
  kind,
  name,
  status,
  health,
  hook,
  requiresPruning,
  requiresDeletionConfirmation,
  syncWave,
}: ResourceStatus): string {
  const flags = [
    hook && 'hook',
    requiresPruning && 'prune',
    requiresDeletionConfirmation && 'confirm',
    syncWave && `wave ${syncWave}`,
  ];
  return [kind, name, status, health?.status, ...flags].filter(Boolean).join(' ');
}

test.each(cases<Wanted>(new URL('./testdata/compare/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const {
      targets,
      live,
      denied = [],
      unknown = [],
      childHealth = 'off',
      destinationNamespace = 'd',
      managedNamespaceMetadata,
      syncResult,
    } = input[0];
    const app: Application = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'app', namespace: 'argocd' },
      spec: {
        destination: { name: 'c', namespace: destinationNamespace },
        syncPolicy: managedNamespaceMetadata ? { managedNamespaceMetadata } : {},
      },
      ...(syncResult && {
        status: { operationState: { operation: {}, phase: 'Succeeded', startedAt: '', syncResult } },
      }),
    };
    const isNamespaced = ({ kind }: { kind: string }) =>
      unknown.includes(kind) ? undefined : kind !== 'Namespace';
    const target = prepareTarget(targets, {
      owner: ownerOf(app, 'argocd'),
      tracking: defaultTracking,
      isNamespaced,
    });
    const result = compare(
      app,
      { target, live },
      {
        controlPlaneNamespace: 'argocd',
        tracking: defaultTracking,
        resources: defaultSettings.resources,
        isNamespaced,
        denies: ({ kind }) => (denied.includes(kind) ? 'denied' : undefined),
        health: { child: { mode: childHealth } },
      },
    );
    expect({
      status: result.status,
      health: result.health,
      resources: result.resources.map(({ status }) => spelled(status)),
      hooks: result.hooks.map(({ metadata }) => metadata.name),
      deleteHooks: result.deleteHooks.map(({ metadata }) => metadata.name),
      conditions: result.conditions.map(({ type, message }) => `${type}: ${message}`),
    }).toEqual({ hooks: [], deleteHooks: [], conditions: [], ...wanted });
  },
);
