import { expect, test } from 'vitest'
import { ROUTES } from '../../src/wire.ts'
import { addressOf } from './request.ts'

test('path and query parameters are encoded', () => {
  const params = { runId: '../suspended/a?b#c' }
  expect(addressOf(ROUTES.run, { params })).toBe('/api/runs/..%2Fsuspended%2Fa%3Fb%23c')
  expect(addressOf(ROUTES.runs, { query: { search: 'a&b=c', limit: 5, cursor: undefined, agent: '' } })).toBe(
    '/api/runs?search=a%26b%3Dc&limit=5',
  )
})
