import { describe, expect, test } from 'vitest';
import { type AddressKind, kindOf, permits } from './address-policy.ts';

const table: Readonly<Record<AddressKind, readonly string[]>> = {
  public: [
    '1.1.1.1',
    '140.82.121.4',
    '192.0.2.1',
    '192.0.1.255',
    '192.1.0.0',
    '128.0.0.1',
    '126.255.255.255',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '100.100.100.199',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '223.255.255.255',
    '2606:50c0:8000::153',
    '2001:db8::1',
    '2001:4860:4860::8888',
    'fd00::1',
    'fd00:ec3::254',
    'fd20:cf::1',
    'fc00::1',
    '::ffff:10.0.0.1',
    '::ffff:8c52:7904',
    '::ffff:0:140.82.121.4',
    '64:ff9b::8c52:7904',
    '64:ff9b::140.82.121.4',
    '64:ff9b:1::140.82.121.4',
    '64:ff9b:1:8c52:0079:0400::',
    '64:ff9b:1:ff8c:52:7904::',
    '64:ff9b:1:ffff:8c:5279:400:0',
    '2002:8c52:7904::1',
  ],
  loopback: [
    '127.0.0.1',
    '127.1.2.3',
    '127.255.255.255',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::0.0.0.1',
    '::ffff:127.0.0.1',
    '::FFFF:7F00:1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::127.0.0.1',
    '64:ff9b:1:7f00:0:100::',
    '2002:7f00:1::',
    '2002:7f00:1::1',
    '2002:7fff:ffff:1234::5',
  ],
  'link-local': [
    '169.254.0.0',
    '169.254.169.254',
    '169.254.170.2',
    '169.254.255.255',
    'fe80::1',
    'febf:ffff::1',
    'fec0::1',
    'feff::1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1:ffa9:fe:a9fe::',
    '64:ff9b:1:ffff:a9:fea9:fe00:0',
    '2002:a9fe:a9fe::1',
  ],
  metadata: [
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd00:ec2:ffff::1',
    'fd20:ce::254',
    'fd20:ce:1::',
    '::ffff:168.63.129.16',
    '::ffff:100.100.100.200',
    '64:ff9b::100.100.100.200',
    '64:ff9b::c000:c0',
    '2002:a83f:8110::',
    '2002:6464:64c8::',
  ],
  unspecified: [
    '0.0.0.0',
    '0.1.2.3',
    '0.255.255.255',
    '::',
    '0:0:0:0:0:0:0:0',
    '::ffff:0.0.0.0',
    '64:ff9b::',
    '64:ff9b::0.0.0.1',
    '64:ff9b:1::',
    '2002::',
    '2002::1',
  ],
  multicast: [
    '224.0.0.1',
    '239.255.255.255',
    'ff00::',
    'ff02::1',
    'ffff::',
    '::ffff:224.0.0.1',
    '2002:e000:1::',
  ],
  reserved: [
    '192.0.0.1',
    '192.0.0.171',
    '240.0.0.1',
    '255.255.255.255',
    '::2',
    '::127.0.0.1',
    '::7f00:1',
    '::169.254.169.254',
    '::8.8.8.8',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:0:7f00:1::',
    '::ffff:255.255.255.255',
  ],
  unreadable: [
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.01',
    '127.0.0.1.',
    '127.0.0.256',
    '127.0.0.1 ',
    '[::1]',
    '::1%lo',
    'fe80::1%eth0',
    '::1::',
    ':::',
    ':1',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '::g',
    '::12345',
    '::ffff:127.1',
    '::127.0.0.1:1',
  ],
};

describe.each(Object.entries(table))('%s', (kind, addresses) => {
  test.each(addresses)('%s', (address) => {
    expect(kindOf(address)).toBe(kind);
  });
});

const at = { host: 'git.example.com', port: 443 };

test('without a setting only public addresses are permitted', () => {
  const permitted = Object.entries(table)
    .filter(([, addresses]) => addresses.some((address) => permits({ loopback: false }, at, address)))
    .map(([kind]) => kind);
  expect(permitted).toEqual(['public']);
});

test('the setting of the embedded cluster permits loopback and nothing else', () => {
  for (const [kind, addresses] of Object.entries(table)) {
    for (const address of addresses) {
      expect([address, permits({ loopback: true }, at, address)]).toEqual([
        address,
        kind === 'public' || kind === 'loopback',
      ]);
    }
  }
});

test.each<[listed: string, host: string, port: number, permitted: boolean]>([
  ['git.internal', 'git.internal', 443, true],
  ['Git.Internal.', 'git.internal', 80, true],
  ['git.internal', 'GIT.internal.', 80, true],
  ['git.internal:8443', 'git.internal', 8443, true],
  ['git.internal:8443', 'git.internal', 443, false],
  ['git.internal', 'x.git.internal', 443, false],
  ['internal', 'git.internal', 443, false],
  ['*.internal', 'git.internal', 443, false],
  ['127.0.0.1', '127.0.0.1', 80, true],
  ['127.0.0.1:80', '127.0.0.1', 80, true],
  ['127.0.0.1:80', '127.0.0.1', 81, false],
  ['127.0.0.1', 'localhost', 80, false],
  ['127.0.0.1', 'rebinding.example.com', 80, false],
  ['::1', '0:0::1', 80, true],
  ['[::1]', '::1', 80, true],
  ['[::1]:80', '::1', 80, true],
  ['[::1]:80', '::1', 81, false],
  ['', '', 80, false],
  [':80', '', 80, false],
])('an operator who lists %j permits %s:%d: %s', (listed, host, port, permitted) => {
  const policy = { loopback: false, hosts: [listed] };
  expect(permits(policy, { host, port }, '127.0.0.1')).toBe(permitted);
});
