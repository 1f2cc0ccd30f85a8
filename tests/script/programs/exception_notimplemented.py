class Base:
    def forward(self):
        raise NotImplementedError
class Other(Base):
    def forward(self):
        return super().forward()
Other().forward()
