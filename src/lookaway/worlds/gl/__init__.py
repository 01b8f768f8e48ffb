"""A second renderer of the known world: OpenGL through MuJoCo, in software on OSMesa."""
