import { useState } from 'react';
import type { Source } from '#base/model';
import { Button } from '../kit/button.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { TextField } from '../kit/field.tsx';
import type { ParameterGroup, ParameterLine } from '../shape/parameters.ts';

const most = 60; // a chart may have thousands; those that are set, and those that are searched, are shown first

/** Parameters of one kind by name: the value of each is an input, and what is set can be unset. */
export function ParameterRows({
  table,
  onChange,
}: {
  table: ParameterGroup;
  onChange(source: Source): void;
}) {
  const [search, setSearch] = useState('');
  const { title, note, lines } = table;
  const found = lines.filter(({ name, value }) =>
    `${name} ${value}`.toLowerCase().includes(search.toLowerCase()),
  );
  const shown = found.slice(0, most);
  return (
    <section aria-label={title} className="parameter-table">
      <div className="parameter-head">
        <h2>{title}</h2>
        <p className="faint">{note}</p>
        {lines.length > 8 && (
          <input
            className="input"
            type="search"
            aria-label={`Search the ${title.toLowerCase()}`}
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
      </div>
      <DataTable
        caption={title}
        rows={shown}
        keyOf={({ name }) => name}
        none={lines.length > 0 ? 'None matches.' : 'None.'}
        columns={[
          { label: 'Name', width: '36%', cell: ({ name }) => <code>{name}</code> },
          { label: 'Value', cell: (line) => <ValueInput line={line} table={table} onChange={onChange} /> },
          { label: 'In the source', width: '24%', cell: (line) => <Offered line={line} /> },
          {
            label: '',
            width: '104px',
            cell: ({ name, isSet, offered }) =>
              isSet && (
                <Button
                  variant="quiet"
                  aria-label={`${offered === undefined ? 'Remove' : 'Reset'} ${name}`}
                  onClick={() => onChange(table.change(name, undefined))}
                >
                  {offered === undefined ? 'Remove' : 'Reset'}
                </Button>
              ),
          },
        ]}
      />
      {found.length > shown.length && (
        <p className="faint">{found.length - shown.length} more: search for them by name or value.</p>
      )}
      <NewRow table={table} onChange={onChange} />
    </section>
  );
}

type RowProps = { table: ParameterGroup; onChange(source: Source): void };

function ValueInput({ line, table, onChange }: RowProps & { line: ParameterLine }) {
  return (
    <input
      className={line.isSet ? 'input set' : 'input'}
      aria-label={`Value of ${line.name}`}
      value={line.value}
      onChange={(event) => onChange(table.change(line.name, event.target.value))}
    />
  );
}

function Offered({ line: { offered, isSet } }: { line: ParameterLine }) {
  if (offered === undefined) return <span className="faint">not there</span>;
  return isSet ? <code className="faint">{offered}</code> : <span className="faint">the same</span>;
}

function NewRow({ table, onChange }: RowProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const isKnown = table.lines.some((line) => line.name === name.trim());
  const why = name.trim() ? (isKnown ? 'It is in the table above.' : undefined) : 'Give it a name.';
  const add = () => {
    onChange(table.change(name.trim(), value));
    setName('');
    setValue('');
  };
  return (
    <div className="parameter-new">
      <TextField label="Another name" value={name} onChange={setName} />
      <TextField label="Its value" value={value} onChange={setValue} />
      <Button icon="plus" why={why} onClick={add}>
        Add
      </Button>
    </div>
  );
}
