// What the first command in a fresh clone says while it installs: see .npmrc. It runs in two processes, of which one speaks.
const { existsSync } = require('node:fs')
const { join } = require('node:path')

if (!existsSync(join(__dirname, 'node_modules')) && !process.env.MILLRACE_INSTALLING) {
  process.env.MILLRACE_INSTALLING = '1'
  console.error('Installing the packages, once …')
}
