import { Agent, request } from 'node:http';

// A program of its own, so that what the flood costs its sender is not measured: connections that send one wrong login after the other to
// the address of its first argument, until it is killed. It sends a message when each of them was answered once.

const [url = '', connections = '60'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const headers = { 'content-type': 'application/json' };

const login = (username: string): Promise<void> =>
  new Promise((resolve) => {
    const sent = request(`${url}/api/v1/session`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', resolve);
    });
    sent.on('error', () => resolve());
    sent.end(JSON.stringify({ username, password: 'wrong' }));
  });

async function connection(_value: unknown, at: number): Promise<void> {
  await login(`user-${at}`);
  answered += 1;
  if (answered === Number(connections)) process.send?.('flooding');
  for (let times = 0; ; times++) await login(`user-${at}-${times}`);
}

let answered = 0;
await Promise.all(Array.from({ length: Number(connections) }, connection));
