import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The exported names of a module, in alphabetical order; types as `type Name`. Reads the source, because types do not exist
 * at run time.
 *
 * @throws Error for an unknown form of `export`
 */
export function publicNames(file: string): string[] {
  const names: string[] = []
  for (const [statement] of readFileSync(file, 'utf8').matchAll(/^export\b[^\n{]*(?:\{[^}]*\}[^\n]*)?/gm)) {
    names.push(...namesOf(statement, file))
  }
  return [...new Set(names)].sort(byName)
}

function namesOf(statement: string, file: string): string[] {
  const [, star, starPath] = /^export (type )?\* from '(\..*)'$/.exec(statement) ?? []
  if (starPath) {
    const names = publicNames(join(dirname(file), starPath))
    return star ? names.map((name) => `type ${bare(name)}`) : names
  }
  const [, allTypes, list] = /^export (type )?\{([^}]*)\}/.exec(statement) ?? []
  if (list !== undefined) {
    return list
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => `${allTypes ?? ''}${item.replace(/\S+ as /, '')}`)
  }
  const [, kind, name] =
    /^export (?:async |abstract )*(class|const|function|interface|type)\*? (\w+)/.exec(statement) ?? []
  if (kind && name) return [kind === 'interface' || kind === 'type' ? `type ${name}` : name]
  throw new Error(`${file} has an export of an unknown form: ${statement}`)
}

function bare(name: string): string {
  return name.replace('type ', '')
}

function byName(left: string, right: string): number {
  return bare(left) < bare(right) ? -1 : 1
}
