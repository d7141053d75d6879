// A worker for scripts in which some cannot be stopped, as none of ours is known to be.
export const functions = {
  script({ scripts, jobs }) {
    return jobs.map(({ script, globals }) => {
      if (globals.hang) for (;;);
      if (globals.die) process.exit(1);
      return { value: `${scripts[script].script} ${globals.name}` };
    });
  },
};
