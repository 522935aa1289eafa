import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ExpiringMap } from './expiring-map.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

test('keeps a value until its expiry, exclusive', () => {
  const map = new ExpiringMap<number>()
  const key = { owner: 'ada', key: 'k' }
  map.set(key, { value: 1, expiresAt: 10 })
  vi.setSystemTime(9)
  expect(map.get(key)?.value).toBe(1)
  vi.setSystemTime(10)
  expect(map.get(key)).toBeUndefined()
  expect(map.delete(key)).toBe(false)
})

test('does not grow with expired values, for any key and owner', () => {
  const map = new ExpiringMap<number>()
  const lasting = { owner: 'ada', key: 'lasting' }
  map.set(lasting, { value: 1, expiresAt: undefined })
  for (let index = 0; index < 100_000; index++) {
    vi.setSystemTime(index)
    map.set({ owner: `owner-${index % 7_000}`, key: `key-${index}` }, { value: index, expiresAt: index + 10 })
  }
  expect(map.size).toBeLessThan(2_100)
  expect(map.get(lasting)?.value).toBe(1)
})
