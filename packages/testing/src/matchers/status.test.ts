import { describe, expect, it } from 'vitest'
import { matchers } from '../matchers.ts'

expect.extend(matchers)

const completed = { status: 'completed', text: 'Hello', tripwire: false }
const tripped = {
  status: 'tripwire',
  text: '',
  tripwire: true,
  rejection: {
    reason: 'Contains an e-mail address.',
    processorId: 'pii',
    hook: 'processInput',
    retryCount: 0,
  },
}

describe('toBeCompleted and toHaveStatus', () => {
  it('pass for the status', () => {
    expect(completed).toBeCompleted()
    expect(completed).toHaveStatus('completed')
    expect({ status: 'halted' }).toHaveStatus('halted')
    expect({ status: 'halted' }).not.toBeCompleted()
  })

  it('report how the run ended', () => {
    expect(() => expect(tripped).toBeCompleted()).toThrow(
      "expected the run to end as 'completed', but its status is 'tripwire' (pii in processInput: Contains an e-mail address.)",
    )
    expect(() => expect(completed).toHaveStatus('halted')).toThrow(
      "to end as 'halted', but its status is 'completed'",
    )
    expect(() => expect(completed).not.toBeCompleted()).toThrow(
      "expected the run not to end as 'completed', but it did",
    )
  })

  it('throw for a value without a status', () => {
    expect(() => expect(Promise.resolve(completed)).toBeCompleted()).toThrow(
      'received a promise or a stream; await or collect it first',
    )
    expect(() => expect('text').not.toBeCompleted()).toThrow('an object with a status, but received "text"')
    expect(() => expect(undefined).toBeCompleted()).toThrow('an object with a status, but received undefined')
  })
})

describe('toHaveTripped', () => {
  it('passes when the fields match', () => {
    expect(tripped).toHaveTripped()
    expect(tripped).toHaveTripped({ processorId: 'pii', hook: 'processInput', retryCount: 0 })
    expect(tripped).toHaveTripped({ reason: /e-mail/ })
    expect(tripped).toHaveTripped({ reason: expect.stringContaining('address') })
    expect(tripped).not.toHaveTripped({ processorId: 'secrets' })
    expect(completed).not.toHaveTripped()
  })

  it('reports the difference', () => {
    expect(() => expect(completed).toHaveTripped()).toThrow(
      "expected the run to have tripped, but its status is 'completed'",
    )
    expect(() => expect(tripped).toHaveTripped({ processorId: 'secrets', hook: 'processInput' })).toThrow(
      'expected the run to have tripped with {"hook": "processInput", "processorId": "secrets"}, but its processorId is "pii"',
    )
    expect(() => expect({ ...tripped, tripwire: undefined }).toHaveTripped()).toThrow(
      'its tripwire is undefined instead of true',
    )
    expect(() => expect(tripped).not.toHaveTripped({ reason: /mail/ })).toThrow(
      'not to have tripped with {"reason": /mail/}',
    )
    expect(() => expect([]).toHaveTripped()).toThrow("expected a run's result")
  })
})
