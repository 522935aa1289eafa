import { assert, assertRefused } from './assert.ts'
import { eventually } from './eventually.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { resourceId: 'ada', key: 'tokens' }
const hour = 3_600_000

export const counters: StorageRules = {
  'counts up and down from 0': async ({ store }) => {
    assert.deepEqual(await store.addToCounter({ ...key, amount: 0 }), { value: 0, added: true })
    assert.deepEqual(await store.addToCounter({ ...key, amount: 5 }), { value: 5, added: true })
    assert.deepEqual(await store.addToCounter({ ...key, amount: -7 }), { value: -2, added: true })
    assert.deepEqual(await store.addToCounter({ ...key, amount: 0 }), { value: -2, added: true })
    assert.deepEqual(await store.addToCounter({ key: 'tokens', amount: 1 }), { value: 1, added: true })
  },

  'adds nothing that would exceed the limit': async ({ store }) => {
    assert.deepEqual(await store.addToCounter({ ...key, amount: 8, limit: 10 }), { value: 8, added: true })
    assert.deepEqual(await store.addToCounter({ ...key, amount: 3, limit: 10 }), { value: 8, added: false })
    assert.deepEqual(await store.addToCounter({ ...key, amount: 2, limit: 10 }), { value: 10, added: true })
    assert.deepEqual(await store.addToCounter({ ...key, amount: 1, limit: 10 }), { value: 10, added: false })
    // A negative amount is never refused, also above the limit.
    assert.deepEqual(await store.addToCounter({ ...key, amount: -1, limit: 5 }), { value: 9, added: true })
    assert.deepEqual(await store.addToCounter({ resourceId: 'ada', key: 'new', amount: 3, limit: 2 }), {
      value: 0,
      added: false,
    })
    assert.deepEqual(await store.addToCounter({ resourceId: 'ada', key: 'new', amount: 0 }), {
      value: 0,
      added: true,
    })
  },

  'loses no concurrent addition': async ({ store }) => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () => store.addToCounter({ ...key, amount: 2 })),
    )
    assert.deepEqual(
      results.map(({ value }) => value).toSorted((left, right) => left - right),
      Array.from({ length: 50 }, (_, index) => 2 * (index + 1)),
    )
    assert.equal((await store.addToCounter({ ...key, amount: 0 })).value, 100)
  },

  'admits exactly the limit of concurrent additions': async ({ store }) => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () => store.addToCounter({ ...key, amount: 1, limit: 20 })),
    )
    assert.equal(results.filter(({ added }) => added).length, 20)
    assert.equal((await store.addToCounter({ ...key, amount: 0 })).value, 20)
  },

  'resets a counter when it expires': async ({ store }) => {
    const before = Date.now()
    const begun = await store.addToCounter({ ...key, amount: 3, expiresIn: hour })
    assert.ok(Math.abs((begun.expiresAt?.getTime() ?? 0) - (before + hour)) < 60_000)
    // The expiry of an existing counter does not change.
    const later = await store.addToCounter({ ...key, amount: 1, expiresIn: 24 * hour })
    assert.deepEqual(later, { value: 4, added: true, expiresAt: begun.expiresAt })
    assert.deepEqual(await store.addToCounter({ ...key, amount: 1 }), {
      value: 5,
      added: true,
      expiresAt: begun.expiresAt,
    })
    const short = { resourceId: 'ada', key: 'short' }
    await store.addToCounter({ ...short, amount: 3, expiresIn: 1 })
    await eventually(async () => (await store.addToCounter({ ...short, amount: 0 })).value === 0)
    assert.deepEqual(await store.addToCounter({ ...short, amount: 2 }), { value: 2, added: true })
  },

  'sets no expiry if nothing was added': async ({ store }) => {
    const refused = await store.addToCounter({ ...key, amount: 5, limit: 1, expiresIn: hour })
    assert.deepEqual(refused, { value: 0, added: false })
    const looked = await store.addToCounter({ ...key, amount: 0, expiresIn: hour })
    assert.deepEqual(looked, { value: 0, added: true })
    assert.deepEqual(await store.addToCounter({ ...key, amount: 1 }), { value: 1, added: true })
  },

  'refuses amounts and values that are not safe integers': async ({ store }) => {
    for (const amount of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1' as unknown as number]) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.addToCounter({ ...key, amount }))
    }
    await assertRefused('STORAGE_INPUT_INVALID', () => store.addToCounter({ ...key, amount: 1, limit: 0.5 }))
    for (const expiresIn of [0, -1, 1.5, Number.MAX_SAFE_INTEGER]) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.addToCounter({ ...key, amount: 1, expiresIn }))
    }
    await assertRefused('STORAGE_INPUT_INVALID', () => store.addToCounter({ key: '', amount: 1 }))
    const most = Number.MAX_SAFE_INTEGER
    assert.equal((await store.addToCounter({ ...key, amount: most })).value, most)
    await assertRefused('STORAGE_INPUT_INVALID', () => store.addToCounter({ ...key, amount: 1 }))
    assert.equal((await store.addToCounter({ ...key, amount: 0 })).value, most)
  },
}
