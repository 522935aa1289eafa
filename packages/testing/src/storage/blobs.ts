import type { Message, MessageBlob, Store } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
import { sampleMessage } from './sample-message.ts'
import { type StorageRules, whereBlobs } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }
const PICTURE = 'picture_-0123456789'
const REPORT = 'report_-0123456789'
const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte)

function referringTo(id: string, ...blobIds: string[]): Message {
  const message = sampleMessage(id, 'Look at this')
  const parts = blobIds.map((blobId) => ({
    type: 'file' as const,
    mediaType: 'image/png',
    url: `blob:${blobId}`,
  }))
  return { ...message, content: { parts: [...message.content.parts, ...parts] } }
}

function blob(messageId: string, id: string, data = EVERY_BYTE): MessageBlob {
  return { messageId, id, data }
}

/** The difference of bytes in one line, instead of a diff of hundreds of thousands. */
function compared(data: Uint8Array | undefined, saved: Uint8Array): string {
  if (!data) return 'nothing'
  const place = saved.findIndex((byte, index) => byte !== data[index])
  if (place >= 0) return `differs from byte ${place} of ${data.length}`
  return data.length === saved.length ? 'the same' : `${data.length} bytes instead of ${saved.length}`
}

/** Which of the two blobs of messages can be read. */
async function found(
  store: Store,
  place: { threadId: string; resourceId?: string },
  ...messageIds: string[]
) {
  const blobs = messageIds.flatMap((messageId) => [
    { messageId, id: PICTURE },
    { messageId, id: REPORT },
  ])
  return (await store.getBlobs({ ...place, blobs })).map(({ messageId, id }) => `${messageId} ${id}`)
}

export const blobs: StorageRules = {
  'returns the exact bytes of blobs, in the requested order': whereBlobs(async ({ store }) => {
    const large = new Uint8Array(300_000).fill(7)
    const saved = [blob('m', PICTURE), blob('m', REPORT, large)]
    await store.saveMessages({ ...key, messages: [referringTo('m', PICTURE, REPORT)], blobs: saved })
    const wanted = [REPORT, PICTURE, 'nothing_-0123456789'].map((id) => ({ messageId: 'm', id }))
    const [report, picture, ...others] = await store.getBlobs({ ...key, blobs: wanted })
    assert.deepEqual([report?.id, picture?.id, others], [REPORT, PICTURE, []])
    assert.equal(compared(report?.data, large), 'the same')
    assert.equal(compared(picture?.data, EVERY_BYTE), 'the same')
    assert.deepEqual(await store.getBlobs({ ...key, blobs: [] }), [])
    // The returned bytes are a copy.
    const [first] = await store.getBlobs({ ...key, blobs: [{ messageId: 'm', id: PICTURE }] })
    first?.data.fill(0)
    const [again] = await store.getBlobs({ ...key, blobs: [{ messageId: 'm', id: PICTURE }] })
    assert.equal(compared(again?.data, EVERY_BYTE), 'the same')
  }),

  'returns a blob to its resource and thread only': whereBlobs(async ({ store }) => {
    await store.saveMessages({ ...key, messages: [referringTo('m', PICTURE)], blobs: [blob('m', PICTURE)] })
    for (const other of [{ resourceId: 'bob' }, { resourceId: undefined }, { threadId: 'other' }]) {
      const place = { ...key, ...other }
      await store.saveMessages({ ...place, messages: [referringTo('m', PICTURE)] })
      assert.deepEqual(await store.getBlobs({ ...place, blobs: [{ messageId: 'm', id: PICTURE }] }), [])
    }
    assert.deepEqual(await found(store, key, 'm'), [`m ${PICTURE}`])
  }),

  'keeps a blob as long as its message references it': whereBlobs(async ({ store }) => {
    await store.saveMessages({
      ...key,
      messages: [referringTo('m', PICTURE, REPORT)],
      blobs: [blob('m', PICTURE), blob('m', REPORT)],
    })
    // Saved again without blobs, like a repeated turn.
    await store.saveMessages({ ...key, messages: [referringTo('m', PICTURE, REPORT)] })
    assert.deepEqual(await found(store, key, 'm'), [`m ${PICTURE}`, `m ${REPORT}`])
    await store.saveMessages({ ...key, messages: [referringTo('m', REPORT)] })
    assert.deepEqual(await found(store, key, 'm'), [`m ${REPORT}`])
    await store.saveMessages({ ...key, messages: [sampleMessage('m', 'Edited')] })
    assert.deepEqual(await found(store, key, 'm'), [])
    await store.saveMessages({ ...key, messages: [referringTo('m', PICTURE)] })
    assert.deepEqual(await found(store, key, 'm'), [])
  }),

  'deletes blobs with their messages': whereBlobs(async ({ store }) => {
    const save = (place: typeof key, ...ids: string[]) =>
      store.saveMessages({
        ...place,
        messages: ids.map((id) => referringTo(id, PICTURE)),
        blobs: ids.map((id) => blob(id, PICTURE)),
      })
    const other = { ...key, threadId: 'other' }
    await save(key, 'a', 'b', 'c', 'd')
    await save(other, 'a')
    await save({ ...key, resourceId: 'bob' }, 'a')
    await store.deleteMessages({ ...key, messageIds: ['b'] })
    await store.saveMessages({ ...key, messages: [], deleteAfter: 'c' })
    assert.deepEqual(await found(store, key, 'a', 'b', 'c', 'd'), [`a ${PICTURE}`, `c ${PICTURE}`])
    await store.deleteThread(key)
    // New messages with the same ids have no old blobs.
    await store.saveMessages({ ...key, messages: ['a', 'b', 'c', 'd'].map((id) => referringTo(id, PICTURE)) })
    assert.deepEqual(await found(store, key, 'a', 'b', 'c', 'd'), [])
    await store.deleteResource({ resourceId: 'ada' })
    await store.saveMessages({ ...other, messages: [referringTo('a', PICTURE)] })
    assert.deepEqual(await found(store, other, 'a'), [])
    assert.deepEqual(await found(store, { ...key, resourceId: 'bob' }, 'a'), [`a ${PICTURE}`])
  }),

  'refuses a blob that its message does not reference, and saves nothing': whereBlobs(async ({ store }) => {
    const messages = [referringTo('m', PICTURE)]
    for (const wrong of [
      blob('m', REPORT),
      blob('another', PICTURE),
      blob('m', 'short'),
      blob('m', PICTURE, 'text' as never),
    ]) {
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.saveMessages({ ...key, messages, blobs: [wrong] }),
      )
    }
    await assertRefused('STORAGE_MESSAGE_TOO_LARGE', () =>
      store.saveMessages({
        ...key,
        messages,
        blobs: [blob('m', PICTURE, new Uint8Array(16 * 1024 * 1024 + 1))],
      }),
    )
    assert.deepEqual((await store.listMessages(key)).items, [])
  }),
}
