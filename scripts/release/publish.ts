import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { runCommand } from '../run-command.ts'
import type { Tarball } from './tarballs.ts'

/**
 * Publishes the packages that the registry does not have, in the given order. After an interruption, the next call
 * continues.
 *
 * @param place A folder whose `.npmrc`, if any, has the registry of the scope and its credentials
 * @param registry The URL of the registry, which overrides all configuration. Default: npm's configuration
 * @returns The published names with versions, such as `@millrace/core@0.2.0`
 * @throws Error if the registry has one of the versions with other content, before anything is published
 */
export async function publishInOrder(
  tarballs: readonly Tarball[],
  place: string,
  registry?: string,
): Promise<string[]> {
  // As an argument: a package manager that runs this sets the user's registry in the environment, which overrides an
  // `.npmrc`.
  const to = registry === undefined ? [] : [`--registry=${registry}`]
  const known = await Promise.all(tarballs.map((tarball) => isPublished(tarball, place, to)))
  const missing = tarballs.filter((_, index) => !known[index])
  const published: string[] = []
  for (const { file, manifest } of missing) {
    const name = `${manifest.name}@${manifest.version}`
    try {
      await runCommand(place, 'npm', 'publish', file, '--access', 'public', '--ignore-scripts', ...to)
    } catch (error) {
      const done = published.length === 0 ? 'nothing' : published.join(', ')
      throw new Error(
        `${name} was not published. Published before it: ${done}. Run the release again to continue.\n${error}`,
      )
    }
    published.push(name)
  }
  return published
}

async function isPublished(
  { file, manifest }: Tarball,
  place: string,
  from: readonly string[],
): Promise<boolean> {
  const name = `${manifest.name}@${manifest.version}`
  const found = await runCommand(place, 'npm', 'view', name, 'dist.integrity', '--json', ...from).catch(
    (error: Error) => {
      if (error.message.includes('E404')) return ''
      throw error
    },
  )
  if (found.trim() === '') return false
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (JSON.parse(found) === integrity) return true
  throw new Error(
    `The registry has ${name} with other content. Add a changeset, because a version can be published only once.`,
  )
}
