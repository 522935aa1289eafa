import * as stable from '@opentelemetry/semantic-conventions'
import * as incubating from '@opentelemetry/semantic-conventions/incubating'
import { expect, test } from 'vitest'
import * as names from './semantic-conventions.ts'

// The package is pinned to the version the constants follow.
const conventions: Record<string, unknown> = { ...incubating, ...stable }

const entries = Object.entries(names)

test.each(entries.filter(([name]) => name.startsWith('ATTR_') && !name.startsWith('ATTR_MILLRACE_')))(
  '%s is the convention’s',
  (name, value) => {
    expect(value).toBe(conventions[name])
  },
)

test.each(entries.filter(([name]) => name.startsWith('METRIC_')))('%s is the convention’s', (name, value) => {
  expect(value).toBe(conventions[name])
})

test.each(entries.filter(([name]) => name.startsWith('OPERATION_')))(
  '%s is the convention’s',
  (name, value) => {
    expect(value).toBe(conventions[name.replace('OPERATION_', 'GEN_AI_OPERATION_NAME_VALUE_')])
  },
)

test.each(Object.values(names.PROVIDER_NAMES))('%s is a provider of the convention', (value) => {
  const known = Object.entries(conventions).filter(([name]) => name.startsWith('GEN_AI_PROVIDER_NAME_VALUE_'))
  expect(known.map(([, known]) => known)).toContain(value)
})

test.each(entries.filter(([name]) => name.startsWith('ATTR_MILLRACE_')))(
  '%s is in our own namespace',
  (_, value) => {
    expect(value).toMatch(/^millrace\.[a-z_.]+$/)
  },
)
