import { useState } from 'react';
import type { TrustedCertificate } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { useWhyNot } from '../data/use-may.ts';
import {
  addCertificate,
  addSigningKey,
  deleteCertificate,
  deleteSigningKey,
  useCertificates,
  useProjects,
  useSigningKeys,
} from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { TextArea, TextField } from '../kit/field.tsx';
import { Select } from '../kit/select.tsx';
import { certificateFrom } from '../shape/certificate-input.ts';
import { certificatesSentence, keysSentence } from '../shape/section-sentences.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Deletion } from './deletion.tsx';
import { Listed } from './listed.tsx';
import { SectionOpening } from './section-opening.tsx';

/** The host keys and certificates by which repositories are recognised. */
export function CertificatesView() {
  const send = useSend();
  const list = useCertificates();
  const [isOpen, setOpen] = useState(false);
  const noCreate = useWhyNot({ resource: 'certificates', action: 'create', object: '' });
  const noDelete = useWhyNot({ resource: 'certificates', action: 'delete', object: '' });
  return (
    <>
      <SectionOpening
        title="Certificates"
        note="Certificates and host keys by which repositories are recognised."
        spans={list.data && certificatesSentence(list.data)}
      />
      <div className="section-head">
        <Button variant="act" icon="plus" why={noCreate} onClick={() => setOpen(true)}>
          Add a certificate or host key
        </Button>
      </div>
      <Listed what="certificates" list={list}>
        {(rows) => (
          <DataTable
            caption="Certificates and host keys"
            rows={rows}
            keyOf={({ serverName, certType, certSubType }) => `${serverName} ${certType} ${certSubType}`}
            none="None are stored: hosts are verified by the certificates of the system."
            columns={[
              { label: 'Host', width: '28%', cell: ({ serverName }) => serverName },
              {
                label: 'Kind',
                width: '20%',
                cell: ({ certType, certSubType }) => `${certType} ${certSubType}`,
              },
              { label: 'Fingerprint or subject', cell: ({ certInfo }) => <code>{certInfo}</code> },
              {
                label: 'Actions',
                width: '110px',
                cell: (row) => (
                  <Deletion
                    what={`${row.certType} ${row.certSubType} of ${row.serverName}`}
                    why={noDelete}
                    remove={() => deleteCertificate(send, row)}
                    onDone={list.reload}
                  >
                    Repositories of that host are refused unless another entry matches.
                  </Deletion>
                ),
              },
            ]}
          />
        )}
      </Listed>
      {isOpen && <AddCertificate onClose={() => setOpen(false)} onDone={list.reload} />}
    </>
  );
}

function AddCertificate({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const send = useSend();
  const [type, setType] = useState<TrustedCertificate['certType']>('https');
  const [host, setHost] = useState('');
  const [text, setText] = useState('');
  const add = useAction(
    async () => addCertificate(send, certificateFrom(type, host, text)),
    () => {
      onClose();
      onDone();
    },
  );
  return (
    <ConfirmDialog
      title="Add a certificate or host key"
      action="Add"
      why={text.trim() ? undefined : 'There is no text yet.'}
      error={add.error}
      isRunning={add.isRunning}
      onConfirm={() => add.run()}
      onClose={onClose}
    >
      <Select
        label="Kind"
        value={type}
        options={[
          { value: 'https', label: 'TLS certificate' },
          { value: 'ssh', label: 'SSH host key' },
        ]}
        onChange={(value) => setType(value === 'ssh' ? 'ssh' : 'https')}
      >
        Kind
      </Select>
      <TextField label="Host" placeholder="git.example.com" value={host} onChange={setHost} />
      <TextArea
        label={type === 'ssh' ? 'A line of known_hosts' : 'The certificate, as PEM'}
        value={text}
        onChange={setText}
      />
    </ConfirmDialog>
  );
}

/** The keys that commits may be signed with. */
export function SigningKeysView() {
  const send = useSend();
  const list = useSigningKeys();
  const [text, setText] = useState<string>();
  const add = useAction(
    () => addSigningKey(send, text ?? ''),
    () => {
      setText(undefined);
      list.reload();
    },
  );
  const { data: projects = [] } = useProjects();
  const noCreate = useWhyNot({ resource: 'gpgkeys', action: 'create', object: '' });
  const noDelete = useWhyNot({ resource: 'gpgkeys', action: 'delete', object: '' });
  return (
    <>
      <SectionOpening
        title="Signing keys"
        note="Keys that commits may be signed with."
        spans={list.data && keysSentence(list.data, projects)}
      />
      <div className="section-head">
        <Button variant="act" icon="plus" why={noCreate} onClick={() => setText('')}>
          Add a signing key
        </Button>
      </div>
      <Listed what="signing keys" list={list}>
        {(rows) => (
          <DataTable
            caption="Signing keys"
            rows={rows}
            keyOf={({ keyID }) => keyID}
            none="There are none: no project can require signed commits."
            columns={[
              { label: 'Key', width: '20%', cell: ({ keyID }) => <code>{keyID}</code> },
              { label: 'Owner', width: '32%', cell: ({ owner }) => owner },
              { label: 'Type', width: '10%', cell: ({ subType }) => subType },
              { label: 'Fingerprint', cell: ({ fingerprint }) => <code>{fingerprint}</code> },
              {
                label: 'Actions',
                width: '110px',
                cell: ({ keyID }) => (
                  <Deletion
                    what={`key ${keyID}`}
                    why={noDelete}
                    remove={() => deleteSigningKey(send, keyID)}
                    onDone={list.reload}
                  >
                    Commits signed with it are refused where a project requires signatures.
                  </Deletion>
                ),
              },
            ]}
          />
        )}
      </Listed>
      {text !== undefined && (
        <ConfirmDialog
          title="Add a signing key"
          action="Add"
          why={text.trim() ? undefined : 'There is no key yet.'}
          error={add.error}
          isRunning={add.isRunning}
          onConfirm={() => add.run()}
          onClose={() => setText(undefined)}
        >
          <TextArea label="The public key, armored" rows={10} value={text} onChange={setText} />
        </ConfirmDialog>
      )}
    </>
  );
}
