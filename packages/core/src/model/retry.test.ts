import { APICallError } from '@ai-sdk/provider'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { retryCall } from './retry.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test.for([
  { headers: {}, waits: [562.5, 1125, 2250] },
  { headers: { 'retry-after-ms': '70' }, waits: [70, 70, 70] },
  { headers: { 'retry-after-ms': '70', 'retry-after': '2' }, waits: [70, 70, 70] },
  { headers: { 'retry-after': '2' }, waits: [2000, 2000, 2000] },
  { headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:03 GMT' }, waits: [3000, 0, 0] },
  { headers: { 'retry-after': 'soon' }, waits: [562.5, 1125, 2250] },
])('waits $waits ms with the headers $headers', async ({ headers, waits }) => {
  const times: number[] = []
  const call = retryCall(
    () => {
      times.push(performance.now())
      return Promise.reject(failure({ responseHeaders: headers }))
    },
    { maxRetries: 3, signal: new AbortController().signal },
  )
  const settled = expect(call).rejects.toMatchObject({ statusCode: 503 })
  await vi.runAllTimersAsync()
  await settled
  const waited = times.slice(1).map((time, index) => time - (times[index] as number))
  // Timers count whole milliseconds.
  expect(waited).toEqual(waits.map(Math.floor))
})

test.for([
  { what: 'a refusal that passes', error: failure({}), calls: 2 },
  { what: 'one that a gateway has wrapped', error: new Error('Gateway', { cause: failure({}) }), calls: 2 },
  { what: 'a refusal for good', error: failure({ statusCode: 401 }), calls: 1 },
  { what: 'an error of another kind', error: new Error('Bug'), calls: 1 },
  { what: 'something that is no error', error: 'oops', calls: 1 },
])('calls $calls times for $what', async ({ error, calls }) => {
  const attempt = vi.fn(() => Promise.reject(error))
  const call = retryCall(attempt, { maxRetries: 1, signal: new AbortController().signal })
  const settled = expect(call).rejects.toBe(error)
  await vi.runAllTimersAsync()
  await settled
  expect(attempt).toHaveBeenCalledTimes(calls)
})

test('ends the wait with the signal, and leaves no timer', async () => {
  const controller = new AbortController()
  const attempt = vi.fn(() => Promise.reject(failure({ responseHeaders: { 'retry-after': '30' } })))
  const call = retryCall(attempt, { maxRetries: 1, signal: controller.signal })
  const settled = expect(call).rejects.toBe('enough')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(vi.getTimerCount()).toBe(1)
  controller.abort('enough')
  await settled
  expect(vi.getTimerCount()).toBe(0)
  expect(attempt).toHaveBeenCalledTimes(1)
})

function failure(options: { statusCode?: number; responseHeaders?: Record<string, string> }): APICallError {
  return new APICallError({
    message: 'No',
    url: 'http://localhost',
    requestBodyValues: {},
    statusCode: 503,
    ...options,
  })
}
