import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EchoBroker, EchoClient } from './echo.ts';
import { KafkaProxy } from './proxy.ts';

describe('a proxy before a broker', () => {
  let broker: EchoBroker;
  let proxy: KafkaProxy;
  beforeEach(async () => {
    broker = await EchoBroker.start();
    proxy = await KafkaProxy.start({ listen: 0, to: broker.port });
  });
  afterEach(async () => {
    await proxy.close();
    await broker.stop();
  });

  it('hands requests and answers on, in order, however large', async () => {
    const client = await EchoClient.by(proxy);
    for (const [number, size] of [20, 3_000_000, 0, 70_000].entries()) client.ask('produce', number, size);
    expect(await client.answers(4)).toEqual([0, 1, 2, 3]);
    expect(broker.bytes).toEqual([20, 3_000_000, 0, 70_000]);
  });

  it('tells the client when the broker ends, and the broker when the client does', async () => {
    const [one, two] = [await EchoClient.by(proxy), await EchoClient.by(proxy)];
    for (const client of [one, two]) client.ask('fetch', 1);
    await Promise.all([one.answers(1), two.answers(1)]);
    const left = broker.left();
    one.leave();
    await left;
    broker.end();
    await two.gone;
  });

  it('breaks off all connections at once', async () => {
    const [one, two] = [await EchoClient.by(proxy), await EchoClient.by(proxy)];
    proxy.cut();
    await Promise.all([one.gone, two.gone]);
  });

  it('breaks off when the broker has answered and the client does not know', async () => {
    const client = await EchoClient.by(proxy);
    const cut = proxy.cutAt('answer', 'produce');
    client.ask('fetch', 1);
    expect(await client.answers(1)).toEqual([1]);
    client.ask('produce', 2);
    await cut;
    await client.gone;
    expect(broker.seen).toEqual(['fetch 1', 'produce 2']);
    expect(client.answered).toEqual([1]);
  });

  it('breaks off once, and is a plain proxy again', async () => {
    const client = await EchoClient.by(proxy);
    const cut = proxy.cutAt('answer', 'produce');
    client.ask('produce', 1);
    await cut;
    const again = await EchoClient.by(proxy);
    again.ask('produce', 1);
    expect(await again.answers(1)).toEqual([1]);
  });

  it('breaks off before the broker has the request', async () => {
    const client = await EchoClient.by(proxy);
    const cut = proxy.cutAt('request', 'produce');
    client.ask('produce', 1);
    await cut;
    await client.gone;
    expect(broker.seen).toEqual([]);
  });

  it('keeps one answer for itself, while the connection stays', async () => {
    const client = await EchoClient.by(proxy);
    const held = proxy.holdAnswer('produce');
    client.ask('produce', 1);
    await held;
    const other = await EchoClient.by(proxy);
    other.ask('produce', 2);
    expect(await other.answers(1)).toEqual([2]);
    expect(broker.seen).toEqual(['produce 1', 'produce 2']);
    expect(client.answered).toEqual([]);
    client.leave();
  });

  it('tells when a request was handed on', async () => {
    const client = await EchoClient.by(proxy);
    const next = proxy.next('produce');
    client.ask('fetch', 1);
    client.ask('produce', 2);
    await next;
    expect(await client.answers(2)).toEqual([1, 2]);
  });

  it('holds everything back, and lets it pass when told', async () => {
    const client = await EchoClient.by(proxy);
    proxy.silence();
    client.ask('produce', 1);
    const other = await EchoClient.by(proxy);
    other.ask('produce', 2);
    // A connection that does not go through the proxy is answered: so much time has passed.
    const direct = await EchoClient.at(broker.port);
    direct.ask('fetch', 3);
    expect(await direct.answers(1)).toEqual([3]);
    expect(broker.seen).toEqual(['fetch 3']);
    proxy.flow();
    expect(await client.answers(1)).toEqual([1]);
    expect(await other.answers(1)).toEqual([2]);
  });

  it('keeps answers back for a while', async () => {
    const [slow, direct] = [await EchoClient.by(proxy), await EchoClient.at(broker.port)];
    proxy.delay(60_000);
    const asked = broker.asked();
    slow.ask('fetch', 1);
    await asked;
    direct.ask('fetch', 2);
    await direct.answers(1);
    expect(slow.answered).toEqual([]);
    proxy.delay(1);
    const quick = await EchoClient.by(proxy);
    quick.ask('fetch', 3);
    expect(await quick.answers(1)).toEqual([3]);
  });

  it('refuses new connections, keeps the old, and admits again at the same place', async () => {
    const client = await EchoClient.by(proxy);
    const { address } = proxy;
    proxy.refuse();
    await expect(EchoClient.by(proxy)).rejects.toThrow('ECONNREFUSED');
    client.ask('fetch', 1);
    expect(await client.answers(1)).toEqual([1]);
    await proxy.admit();
    expect(proxy.address).toBe(address);
    await EchoClient.by(proxy);
  });
});
