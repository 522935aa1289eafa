import { assert, assertRefused } from './assert.ts'
import { eventually } from './eventually.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { resourceId: 'ada', key: 'cache' }
const hour = 3_600_000

export const keys: StorageRules = {
  'keeps the value of a key until it is set again or deleted': async ({ store }) => {
    assert.equal(await store.getKey(key), undefined)
    assert.equal(await store.setKey({ ...key, value: 'one' }), true)
    assert.equal(await store.getKey(key), 'one')
    assert.equal(await store.setKey({ ...key, value: '' }), true)
    assert.equal(await store.getKey(key), '')
    assert.equal(await store.getKey({ key: 'cache' }), undefined)
    assert.equal(await store.deleteKey(key), true)
    assert.equal(await store.deleteKey(key), false)
    assert.equal(await store.getKey(key), undefined)
  },

  'sets a key only once if it must be absent': async ({ store }) => {
    assert.equal(await store.setKey({ ...key, value: 'one', ifAbsent: true }), true)
    assert.equal(await store.setKey({ ...key, value: 'two', ifAbsent: true }), false)
    assert.equal(await store.getKey(key), 'one')
    await store.deleteKey(key)
    const set = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.setKey({ ...key, value: `${index}`, ifAbsent: true })),
    )
    assert.equal(set.filter(Boolean).length, 1)
    assert.equal(await store.getKey(key), `${set.indexOf(true)}`)
  },

  'deletes a key when it expires': async ({ store }) => {
    await store.setKey({ ...key, value: 'short', expiresIn: 1 })
    await store.setKey({ ...key, key: 'long', value: 'long', expiresIn: hour })
    await eventually(async () => (await store.getKey(key)) === undefined)
    assert.equal(await store.getKey({ ...key, key: 'long' }), 'long')
    assert.equal(await store.deleteKey(key), false)
    assert.equal(await store.setKey({ ...key, value: 'new', ifAbsent: true }), true)
    assert.equal(await store.getKey(key), 'new')
  },

  'takes the expiry of a key from its last value': async ({ store }) => {
    await store.setKey({ ...key, value: 'short', expiresIn: 1 })
    await store.setKey({ ...key, value: 'lasting' })
    await store.setKey({ ...key, key: 'other', value: 'lasting' })
    await store.setKey({ ...key, key: 'other', value: 'short', expiresIn: 1 })
    await eventually(async () => (await store.getKey({ ...key, key: 'other' })) === undefined)
    assert.equal(await store.getKey(key), 'lasting')
  },

  'keeps a key and a counter with the same name apart': async ({ store }) => {
    await store.setKey({ ...key, value: 'value' })
    await store.addToCounter({ ...key, amount: 3 })
    await store.deleteKey(key)
    assert.equal((await store.addToCounter({ ...key, amount: 0 })).value, 3)
    await store.setKey({ ...key, value: 'value' })
    await store.addToCounter({ ...key, amount: -3 })
    assert.equal(await store.getKey(key), 'value')
  },

  'returns any text that a key can have': async ({ store }) => {
    for (const value of ['é 東京 😀', "'; DROP TABLE keys; --", '{"a":"\\u0000"}', 'x'.repeat(1_000_000)]) {
      await store.setKey({ ...key, value })
      assert.equal(await store.getKey(key), value)
    }
    for (const value of ['\0', '\ud800', 7 as unknown as string, undefined as unknown as string]) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.setKey({ ...key, value }))
    }
    await assertRefused('STORAGE_INPUT_INVALID', () => store.setKey({ ...key, value: 'x', expiresIn: -1 }))
    assert.equal((await store.getKey(key))?.length, 1_000_000)
  },
}
