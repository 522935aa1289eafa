import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TEMPLATES } from './templates.ts'

export interface CreateOptions {
  /** The folder of the project. It must be empty or not exist. */
  readonly folder: string
  /** One of {@link TEMPLATES}. */
  readonly template: string
  /** The name of the package. Default: the name of the folder. */
  readonly name?: string | undefined
}

/** The folder of this package: the parent of `src` in the repository, and of `dist` when published. */
const PACKAGE_ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Files that are not part of a project. */
const NOT_COPIED = new Set(['node_modules', 'dist', '.next', '.wrangler'])

/** The rules of npm: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

/**
 * Creates a project from a template. Installs nothing, and does not change existing files.
 *
 * @returns the name of the package and the absolute path of its folder
 * @throws Error that names the value if the template does not exist, the folder is not empty, or the name is
 *   invalid
 */
export async function createProject(options: CreateOptions): Promise<{ name: string; folder: string }> {
  const { template } = options
  const folder = resolve(options.folder)
  const name = options.name ?? basename(folder).toLowerCase()
  checkTemplate(template)
  checkName(name)
  await checkEmpty(folder)
  await mkdir(folder, { recursive: true })
  await cp(join(PACKAGE_ROOT, 'templates', template), folder, {
    recursive: true,
    filter: (source) => !NOT_COPIED.has(basename(source)),
  })
  // npm does not publish files named `.gitignore`.
  await rename(join(folder, '_gitignore'), join(folder, '.gitignore'))
  await writeFile(join(folder, 'package.json'), await manifestOf(folder, name))
  await writeFile(join(folder, 'README.md'), await readmeOf(folder, name))
  await nameWorker(folder, name)
  return { name, folder }
}

function checkTemplate(template: string): void {
  const names = TEMPLATES.map(({ name }) => name)
  if (!names.includes(template)) {
    throw new Error(`There is no template '${template}'. Use one of: ${names.join(', ')}.`)
  }
}

function checkName(name: string): void {
  if (name.length > 214 || !PACKAGE_NAME.test(name)) {
    throw new Error(
      `'${name}' is not a valid package name. Use lower-case letters, digits, '-', '.' and '_', such as 'my-agent' or '@acme/my-agent' (--name).`,
    )
  }
}

async function checkEmpty(folder: string): Promise<void> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') return ['it is a file']
    throw error
  })
  // A folder that only has a git repository counts as empty.
  const found = files.filter((file) => file !== '.git')
  if (found.length > 0) {
    throw new Error(
      `The folder ${folder} is not empty (${found[0]}). Choose another folder, or empty this one first.`,
    )
  }
}

/**
 * The manifest with the name of the project, and with versions instead of workspace links. In the template,
 * `exports` is under `publishConfig`, because a manifest inside a published package must not have exports.
 */
async function manifestOf(folder: string, name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
    version: string
  }
  const template = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const manifest = Object.fromEntries(
    Object.entries(template).map(([key, value]) =>
      key === 'publishConfig' ? ['exports', template.publishConfig.exports] : [key, value],
    ),
  )
  manifest.name = name
  if (manifest.files) delete manifest.private
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
    const ranges: Record<string, string> = manifest[kind] ?? {}
    for (const [dependency, range] of Object.entries(ranges)) {
      if (range.startsWith('workspace:')) ranges[dependency] = `^${version}`
    }
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

async function readmeOf(folder: string, name: string): Promise<string> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  return readme.replace(/^# .*/, () => `# ${name}`)
}

/** Sets the name in the configuration of the worker, which allows letters, digits and dashes. */
async function nameWorker(folder: string, name: string): Promise<void> {
  const file = join(folder, 'wrangler.jsonc')
  const config = await readFile(file, 'utf8').catch(() => undefined)
  if (config === undefined) return
  const worker = name.replace(/^@[^/]*\//, '').replace(/[^a-z0-9]+/g, '-')
  await writeFile(
    file,
    config.replace('"name": "worker"', () => `"name": "${worker}"`),
  )
}
