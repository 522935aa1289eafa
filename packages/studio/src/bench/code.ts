import type { GuardInfo } from '../wire.ts'

interface CodedGuard {
  info: GuardInfo
  options: Readonly<Record<string, unknown>>
}

/** A program with these guards and options, for copying. */
export function codeFor(guards: readonly CodedGuard[]): string {
  const imports = Map.groupBy(guards, ({ info }) => info.importFrom)
  const lines = [...imports].map(
    ([from, group]) =>
      `import { ${[...new Set(group.map(({ info }) => info.exportName))].sort().join(', ')} } from '${from}'`,
  )
  const processors = guards.map(
    ({ info, options }) => `    new ${info.exportName}(${optionsCode(info, options)}),`,
  )
  return [
    "import { Agent } from '@millrace/core'",
    ...lines.sort(),
    '',
    'export const agent = new Agent({',
    '  model, // a model of the AI SDK',
    '  processors: [',
    ...processors,
    '  ],',
    '})',
    '',
  ].join('\n')
}

function optionsCode(
  { options: { properties }, defaultStrategy, strategies }: GuardInfo,
  given: Readonly<Record<string, unknown>>,
): string {
  const entries = Object.entries(given).filter(([name, value]) => value !== properties[name]?.default)
  const fields = entries.map(
    ([name, value]) => `${name}: ${name === 'patterns' ? patternsCode(value) : literal(value)}`,
  )
  if (strategies.length > 1) fields.push(`strategy: ${literal(defaultStrategy)}`)
  return fields.length === 0 ? '' : `{ ${fields.join(', ')} }`
}

function patternsCode(patterns: unknown): string {
  const list = Array.isArray(patterns) ? patterns : []
  return `[${list.map((pattern) => `new RegExp(${literal(String(pattern))}, 'u')`).join(', ')}]`
}

/** A value as TypeScript source. Text is escaped, so that it cannot end its quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'undefined'
  const inner = JSON.stringify(value).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")
  return `'${inner.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029')}'`
}
