import { check, conditions, type HealthRule, on, phases, settledBy, unless } from '../rules.ts';
import { type Checks, degraded, type HealthCheck, healthy, progressing } from '../verdict.ts';

const ready = check(settledBy('Ready'));

/** A certificate that is being issued is Progressing, whatever Ready reports of the old one. */
const issuing = conditions(on('Issuing', 'True', progressing));

const refused = conditions(on('Denied', 'True', degraded), on('InvalidRequest', 'True', degraded));
const request: HealthRule = conditions(
  on('Ready', 'True', healthy),
  on('Ready', 'False', progressing, ['Pending']),
  on('Ready', 'Unknown', progressing, ['Pending']),
  unless('Ready', 'True', degraded),
);

const acme: HealthCheck = check(
  phases(
    'status.state',
    { valid: healthy, invalid: degraded, expired: degraded, errored: degraded },
    progressing,
  ),
);

/** cert-manager, trust-manager, and the group cert-manager had before 0.11. */
export const certManager: Checks = {
  'acme.cert-manager.io/Challenge': acme,
  'acme.cert-manager.io/Order': acme,
  'cert-manager.io/Certificate': check(issuing, settledBy('Ready')),
  'cert-manager.io/CertificateRequest': check(refused, request),
  'cert-manager.io/ClusterIssuer': ready,
  'cert-manager.io/Issuer': ready,
  'certmanager.k8s.io/Certificate': ready,
  'certmanager.k8s.io/Issuer': ready,
  'trust.cert-manager.io/Bundle': check(
    conditions(on('Synced', 'True', healthy), unless('Synced', 'True', degraded)),
  ),
};
