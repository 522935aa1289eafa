// Says why a first command takes a while. pnpm itself prints errors only: see .npmrc.
module.exports = {
  hooks: {
    preResolution: () =>
      process.stderr.write('Installing the dependencies. This takes up to a minute, once.\n'),
  },
}
