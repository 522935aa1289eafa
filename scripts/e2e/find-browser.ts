import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installSeparately } from '../separate-install.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe']

const REMEDY = `No working Chromium was found. Do one of these:
- set CHROMIUM_PATH to the executable of Chromium or Chrome;
- install one on PATH, for example with \`apt-get install chromium\`;
- on Linux, run \`pnpm e2e\` with access to the npm registry: it installs one.`

/**
 * The executable of a working Chromium: `CHROMIUM_PATH`, else one on `PATH`, else that of an npm package, which is
 * installed.
 *
 * @throws Error with the remedy
 */
export async function findBrowser(): Promise<string> {
  const named = process.env.CHROMIUM_PATH
  if (named !== undefined) {
    if (starts(named)) return named
    throw new Error(`CHROMIUM_PATH is '${named}', which does not start.\n${REMEDY}`)
  }
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const found = onPath.find((file) => existsSync(file) && starts(file))
  if (found !== undefined) return found
  const installed = process.platform === 'linux' ? await installBrowser() : undefined
  if (installed !== undefined && starts(installed)) return installed
  throw new Error(REMEDY)
}

async function installBrowser(): Promise<string | undefined> {
  const folder = join(import.meta.dirname, 'browser')
  if (!installSeparately(folder, { command: 'pnpm e2e' })) return undefined
  const entry = createRequire(join(folder, 'package.json')).resolve('@sparticuz/chromium')
  const { default: chromium } = (await import(pathToFileURL(entry).href)) as {
    default: { executablePath(): Promise<string> }
  }
  return await chromium.executablePath()
}

function starts(file: string): boolean {
  try {
    execFileSync(file, ['--version', '--no-sandbox'], { stdio: 'ignore', timeout: 30_000 })
    return true
  } catch {
    return false
  }
}
